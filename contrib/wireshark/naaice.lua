-- NAAICE for Wireshark and tshark: the messages of region setup (MRSP), and what the immediate values of RPCs say,
-- in RoCEv2 packets, which Wireshark itself takes apart. spec/naaice.md, sections 3, 7 and 10, has the layouts.
--
-- A session is known from its connection request, or, in a capture that begins later, from the client's request for
-- regions. Only there do the two ends name their queue pairs; a packet names no more than the one it goes to.

local naaice = Proto("naaice", "NAAICE remote procedure call")

naaice.prefs.port = Pref.uint("Port", 12345, "Whatever goes to this port is NAAICE, also if it is malformed."
    .. " Sessions at other ports are known by their first message.")

-- ---- fields --------------------------------------------------------------------------------------------------------

local ERR, AAR, A = 0, 1, 2
local MESSAGES = {
    [ERR] = "ERR, error",
    [AAR] = "AAR, request for regions",
    [A] = "A, advertisement of regions",
    [3] = "reserved",
}
local SETUP_ERRORS = {
    [0x01] = "not enough memory",
    [0x02] = "invalid NAA address",
    [0x03] = "too many regions",
    [0xff] = "malformed or unsupported message",
}
local RETURN_CODES = {
    [0x00] = "success",
    [0x01] = "no such function at the server",
    [0x02] = "the routine exceeded the server's time limit",
    [0x10] = "the routine failed",
    -- Codes for applications that Outboard's server uses itself.
    [0x11] = "from an Outboard server: the regions are not those that the routine takes",
    [0x12] = "from an Outboard server: too many calls are waiting; try again later",
    [0x13] = "from an Outboard server: it is shutting down",
}
local UPSTREAM, AP1 = "upstream-2026", "ap1-2023"
local INTERNAL, SINGLE_SEND, INPUT, OUTPUT, RESERVED = 0x01, 0x02, 0x04, 0x08, 0xf0

local f = {
    type = ProtoField.uint8("naaice.type", "Message", base.HEX, MESSAGES),
    count = ProtoField.uint8("naaice.count", "Regions"),
    error = ProtoField.uint8("naaice.error", "Error code", base.HEX, SETUP_ERRORS),
    padding = ProtoField.bytes("naaice.padding", "Padding"),
    region = ProtoField.uint8("naaice.region", "Region"),
    flags = ProtoField.uint8("naaice.flags", "Flags", base.HEX),
    internal = ProtoField.bool("naaice.flags.internal", "Internal", 8, nil, INTERNAL),
    single_send = ProtoField.bool("naaice.flags.single_send", "Single send", 8, nil, SINGLE_SEND),
    input = ProtoField.bool("naaice.flags.input", "Input", 8, nil, INPUT),
    output = ProtoField.bool("naaice.flags.output", "Output", 8, nil, OUTPUT),
    reserved = ProtoField.uint8("naaice.flags.reserved", "Reserved", base.HEX, nil, RESERVED),
    naa_address = ProtoField.uint64("naaice.naa_address", "Requested NAA address", base.HEX),
    address = ProtoField.uint64("naaice.address", "Published address", base.HEX),
    rkey = ProtoField.uint32("naaice.rkey", "Published rkey", base.HEX),
    size = ProtoField.uint32("naaice.size", "Published size"),
    dialect = ProtoField.string("naaice.dialect", "Dialect"),
    immediate = ProtoField.uint32("naaice.immediate", "Immediate value", base.HEX),
    func = ProtoField.uint8("naaice.function", "Function code"),
    user_bytes = ProtoField.bytes("naaice.user_bytes", "User bytes 0, 1, 2", base.SPACE),
    return_code = ProtoField.uint32("naaice.return_code", "Return code", base.HEX),
    request_in = ProtoField.framenum("naaice.request_in", "RPC begun in", base.NONE, frametype.REQUEST),
    time = ProtoField.relative_time("naaice.time", "Time since then"),
}
naaice.fields = {}
for _, field in pairs(f) do
    table.insert(naaice.fields, field)
end

naaice.experts = {}

local function finding(name, text, group, severity)
    local e = ProtoExpert.new("naaice." .. name, text, expert.group[group], expert.severity[severity])
    naaice.experts[#naaice.experts + 1] = e
    return e
end

local bad_length = finding("bad_length", "Wrong length", "MALFORMED", "ERROR")
local bad_type = finding("bad_type", "Unknown message", "MALFORMED", "ERROR")
local bad_count = finding("bad_count", "Wrong number of regions", "MALFORMED", "ERROR")
local bad_flags = finding("bad_flags", "Unusual flags", "PROTOCOL", "WARN")
local bad_region = finding("bad_region", "Unusual region", "PROTOCOL", "WARN")
local refused = finding("refused", "Refused", "RESPONSE_CODE", "WARN")
local no_request = finding("no_request", "No RPC is being answered", "SEQUENCE", "WARN")

-- ---- RoCEv2 --------------------------------------------------------------------------------------------------------
-- Read here once more, because the fields of Wireshark's own dissector do not exist when it reads a file for the first
-- time, which is when sessions are followed. Offsets count from the base transport header (BTH), which UDP carries.

local roce = DissectorTable.get("udp.port"):get_dissector(4791)

local SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY = 0x00, 0x01, 0x02, 0x04
local WRITE_FIRST, WRITE_LAST_IMMEDIATE, WRITE_ONLY, WRITE_ONLY_IMMEDIATE = 0x06, 0x09, 0x0a, 0x0b
local DATAGRAM = 0x64

local BTH, DETH, MAD, RETH, ICRC = 12, 8, 24, 16, 4
local LENGTHS = { -- of headers and ICRC; other opcodes do not matter here
    [SEND_FIRST] = BTH + ICRC,
    [SEND_MIDDLE] = BTH + ICRC,
    [SEND_LAST] = BTH + ICRC,
    [SEND_ONLY] = BTH + ICRC,
    [WRITE_FIRST] = BTH + RETH + ICRC,
    [WRITE_LAST_IMMEDIATE] = BTH + 4 + ICRC,
    [WRITE_ONLY] = BTH + RETH + ICRC,
    [WRITE_ONLY_IMMEDIATE] = BTH + RETH + 4 + ICRC,
    [DATAGRAM] = BTH + DETH + MAD + 36 + ICRC,
}

local function is_send(opcode)
    return opcode <= SEND_ONLY
end

-- Where the rkey of a WRITE is, if the packet has one.
local function rkey_of(tvb, opcode)
    return opcode ~= WRITE_LAST_IMMEDIATE and tvb(BTH + 8, 4) or nil
end

-- Where the immediate value of a WRITE is, if the packet has one.
local function immediate_of(tvb, opcode)
    if opcode == WRITE_LAST_IMMEDIATE then
        return tvb(BTH, 4)
    end
    return opcode == WRITE_ONLY_IMMEDIATE and tvb(BTH + RETH, 4) or nil
end

-- The payload of a SEND without its padding.
local function payload_of(tvb)
    local pad = tvb(1, 1):bitfield(2, 2)
    return tvb(BTH, math.max(tvb:len() - BTH - ICRC - pad, 0))
end

-- ---- sessions ------------------------------------------------------------------------------------------------------

-- A session: sure (it is NAAICE), dialect, announced (the client's regions without the internal ones), rkeys (of both
-- sides, to region index), rpc (the last call: its frame and time, its PSN and its result's).
-- An end of it: session, to_server, parts (of a message that takes several packets).
local ends          -- by address and queue pair number
local handshakes    -- sessions by address and communication id of the client
local unanswered    -- sessions without handshake, by address of client and server, until the answer shows the other end
local frames        -- what was found out about a frame when it was seen first: later the queue pair may be another's

function naaice.init()
    ends, handshakes, unanswered, frames = {}, {}, {}, {}
end

local function key(a, b)
    return tostring(a) .. " " .. tostring(b)
end

local function plural(count, noun)
    return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

local function new_session(sure)
    return { sure = sure, announced = {}, rkeys = {} }
end

local function add_end(address, queue_pair, session, to_server)
    local e = { session = session, to_server = to_server }
    ends[key(address, queue_pair)] = e
    return e
end

-- Messages of connection management: who asks whom, and which queue pairs will talk.
local function follow_handshake(tvb, pinfo)
    local message = tvb(BTH + DETH + MAD)
    local attribute = tvb(BTH + DETH + 16, 2):uint()
    if tvb(5, 3):uint() ~= 1 then
        return
    elseif attribute == 0x0010 then -- REQ
        local name = key(pinfo.src, message(0, 4):uint())
        if not handshakes[name] then
            -- The service of port P in the TCP port space is 0x0000000001060000 + P.
            local service = message(8, 8)
            local is_rdma_cm = service(0, 4):uint() == 0 and service(4, 2):uint() == 0x0106
            handshakes[name] = new_session(is_rdma_cm and service(6, 2):uint() == naaice.prefs.port)
            add_end(pinfo.src, message(32, 3):uint(), handshakes[name], false)
        end
    elseif attribute == 0x0013 then -- REP
        local session = handshakes[key(pinfo.dst, message(4, 4):uint())]
        local queue_pair = message(12, 3):uint()
        local known = ends[key(pinfo.src, queue_pair)]
        if session and not (known and known.session == session) then
            add_end(pinfo.src, queue_pair, session, true)
        end
    end
end

-- ---- messages ------------------------------------------------------------------------------------------------------

local ENTRY_BYTES = { [AAR] = 24, [A] = 16 }

local function length_of(type, count)
    return 4 + ENTRY_BYTES[type] * count
end

-- For sessions that are known by nothing else: is it a message of this type, or the first part of a longer one?
local function looks_like(tvb, type, opcode)
    if tvb:len() < 4 or tvb(0, 1):uint() ~= type or tvb(1, 1):uint() == 0 or tvb(2, 2):uint() ~= 0 then
        return false
    end
    if type == ERR then
        return tvb:len() == 4
    end
    local wanted = length_of(type, tvb(1, 1):uint())
    return opcode == SEND_ONLY and tvb:len() == wanted or opcode == SEND_FIRST and tvb:len() < wanted
end

local function describe_flags(flags)
    if bit.band(flags, INTERNAL) ~= 0 then
        return "internal"
    end
    local words = {}
    for _, flag in ipairs({ { INPUT, "input" }, { OUTPUT, "output" }, { SINGLE_SEND, "single send" } }) do
        if bit.band(flags, flag[1]) ~= 0 then
            table.insert(words, flag[2])
        end
    end
    return #words == 0 and "unmarked" or table.concat(words, ", ")
end

local function add_flags(tree, range)
    local flags = range:uint()
    local item = tree:add(f.flags, range):append_text(" (" .. describe_flags(flags) .. ")")
    for _, field in ipairs({ f.internal, f.single_send, f.input, f.output, f.reserved }) do
        item:add(field, range)
    end
    if bit.band(flags, RESERVED) ~= 0 then
        item:add_proto_expert_info(bad_flags, "Reserved flags are set")
    elseif bit.band(flags, INTERNAL) ~= 0 and flags ~= INTERNAL then
        item:add_proto_expert_info(bad_flags, "An internal region is never transferred: the other flags mean nothing")
    end
    return flags
end

local function add_published(tree, range)
    tree:add(f.address, range(0, 8))
    tree:add(f.rkey, range(8, 4))
    tree:add(f.size, range(12, 4))
    return { rkey = range(8, 4):uint(), size = range(12, 4):uint() }
end

local function add_request(tree, tvb, count)
    local regions = {}
    for i = 0, count - 1 do
        local entry = tvb(4 + 24 * i, 24)
        local subtree = tree:add(f.region, entry, i)
        local flags = add_flags(subtree, entry(0, 1))
        subtree:add(f.naa_address, entry(1, 7), entry(1, 7):uint64())
        local region = add_published(subtree, entry(8, 16))
        region.flags = flags
        region.internal = bit.band(flags, INTERNAL) ~= 0
        subtree:append_text(", " .. describe_flags(flags) .. ", " .. plural(region.size, "byte"))
        if region.internal and region.rkey ~= 0 then
            subtree:add_proto_expert_info(bad_region, "An internal region exists on the NAA only and has no rkey")
        end
        table.insert(regions, region)
    end
    return regions
end

-- Nothing on the wire names the dialect; the server recognises it in the same way (NAA-SCOPE-8).
local function dialect_of(regions)
    local marks = 0
    for _, region in ipairs(regions) do
        if not region.internal then
            marks = bit.bor(marks, region.flags)
        end
    end
    if bit.band(marks, INPUT + OUTPUT) ~= 0 then
        return UPSTREAM
    end
    return regions[1].size == 8 and not regions[1].internal and AP1 or nil
end

local function remember_request(session, regions)
    session.dialect = dialect_of(regions)
    session.announced = {}
    for _, region in ipairs(regions) do
        if not region.internal then
            session.rkeys[region.rkey] = #session.announced
            table.insert(session.announced, region)
        end
    end
end

local function add_advertisement(tree, tvb, count, session)
    for i = 0, count - 1 do
        local entry = tvb(4 + 16 * i, 16)
        local subtree = tree:add(f.region, entry, i)
        local region = add_published(subtree, entry)
        subtree:append_text(", " .. plural(region.size, "byte"))
        session.rkeys[region.rkey] = i
        local announced = session.announced[i + 1]
        if announced and region.size < announced.size then
            local wanted = plural(announced.size, "byte")
            subtree:add_proto_expert_info(bad_region, "Smaller than the client's, which has " .. wanted)
        end
    end
    if #session.announced > 0 and #session.announced ~= count then
        local wanted = plural(#session.announced, "region")
        tree:add_proto_expert_info(bad_count, "The client announced " .. wanted .. ", not counting internal ones")
    end
end

local function add_dialect(tree, session)
    tree:add(f.dialect, session.dialect or "not to be told: no region is marked"):set_generated()
end

local function add_error(tree, tvb)
    local code = tvb(1, 1):uint()
    local what = ("0x%02x (%s)"):format(code, SETUP_ERRORS[code] or "unknown")
    tree:add(f.error, tvb(1, 1)):add_proto_expert_info(refused, "Region setup failed: " .. what)
    return "error " .. what
end

local function add_regions(tree, tvb, type, pinfo, record)
    local count = tvb(1, 1):uint()
    local item = tree:add(f.count, tvb(1, 1))
    local wanted = length_of(type, count)
    if count == 0 then
        item:add_proto_expert_info(bad_count, "There is no message without regions")
    elseif tvb:len() ~= wanted then
        local what = ("%d bytes instead of %d for %s"):format(tvb:len(), wanted, plural(count, "region"))
        item:add_proto_expert_info(bad_length, what)
    elseif type == AAR then
        local regions = add_request(tree, tvb, count)
        if not pinfo.visited then
            remember_request(record.session, regions)
        end
        add_dialect(tree, record.session)
        return "request for " .. plural(count, "region")
    else
        add_advertisement(tree, tvb, count, record.session)
        add_dialect(tree, record.session)
        return "advertisement of " .. plural(count, "region")
    end
    return "malformed"
end

local function add_message(tvb, pinfo, tree, record)
    local subtree = tree:add(naaice, tvb:len() > 0 and tvb() or nil)
    local what = "malformed"
    if tvb:len() < 4 then
        subtree:add_proto_expert_info(bad_length, ("A message has 4 bytes at least, not %d"):format(tvb:len()))
    else
        local type = tvb(0, 1):uint()
        local item = subtree:add(f.type, tvb(0, 1))
        subtree:add(f.padding, tvb(2, 2))
        if type == ERR then
            what = add_error(subtree, tvb)
        elseif ENTRY_BYTES[type] then
            what = add_regions(subtree, tvb, type, pinfo, record)
        else
            item:add_proto_expert_info(bad_type, ("There is no message of type %d"):format(type))
        end
    end
    subtree:append_text(", " .. what)
    pinfo.cols.protocol = "NAAICE"
    pinfo.cols.info:append(" [NAAICE: " .. what .. "]")
end

-- ---- SEND ----------------------------------------------------------------------------------------------------------

-- The end that a SEND goes to, if it belongs to a session.
local function end_of_send(tvb, payload, pinfo, opcode)
    local queue_pair = tvb(5, 3):uint()
    local known = ends[key(pinfo.dst, queue_pair)]
    if known then
        known.session.sure = known.session.sure or known.to_server and looks_like(payload, AAR, opcode)
        return known.session.sure and known or nil
    end
    if looks_like(payload, AAR, opcode) then
        local session = new_session(true)
        unanswered[key(pinfo.src, pinfo.dst)] = session
        return add_end(pinfo.dst, queue_pair, session, true)
    end
    local asked = key(pinfo.dst, pinfo.src)
    local session = unanswered[asked]
    if session and (looks_like(payload, A, opcode) or looks_like(payload, ERR, opcode)) then
        unanswered[asked] = nil
        return add_end(pinfo.dst, queue_pair, session, false)
    end
    return nil
end

-- Takes a packet of a message of several; the last one completes it. A packet that is sent again counts once.
local function collect(e, opcode, psn, payload)
    if opcode == SEND_FIRST then
        e.parts = { next = (psn + 1) % 0x1000000, bytes = payload:bytes() }
    elseif e.parts and e.parts.next == psn then
        e.parts.next = (psn + 1) % 0x1000000
        e.parts.bytes:append(payload:bytes())
    else
        return nil
    end
    return opcode == SEND_LAST and e.parts.bytes or nil
end

local function follow_send(tvb, pinfo, opcode)
    local payload = payload_of(tvb)
    local e = end_of_send(tvb, payload, pinfo, opcode)
    if not e then
        return nil
    end
    local record = { opcode = opcode, session = e.session, to_server = e.to_server, length = payload:len() }
    if opcode ~= SEND_ONLY then
        record.message = collect(e, opcode, tvb(9, 3):uint(), payload)
    end
    return record
end

local current -- what is known about the SEND that is being dissected

-- Wireshark's dissector offers the payload of a SEND, with its padding.
naaice:register_heuristic("infiniband.payload", function(payload, pinfo, tree)
    local record = current
    if not record or payload:len() < record.length then
        return false
    elseif record.opcode == SEND_ONLY then
        add_message(record.length > 0 and payload(0, record.length):tvb() or payload, pinfo, tree, record)
    elseif record.message then
        add_message(record.message:tvb("NAAICE message"), pinfo, tree, record)
    else
        tree:add(naaice, payload(), "NAAICE, part of a message")
    end
    return true
end)

-- ---- RDMA WRITE ----------------------------------------------------------------------------------------------------

local function function_of(value, dialect)
    local upstream = dialect == UPSTREAM or dialect == nil and bit.band(value, 0x80) ~= 0
    return bit.band(value, upstream and 0x7f or 0xff), upstream
end

local function add_call(tree, range, record)
    local value = range:uint()
    local code, upstream = function_of(value, record.session.dialect)
    if code == 0 or value == 0 then
        tree:add(f.func, range, 0):append_text(" (the client cannot start the RPC)")
        return "host error"
    end
    tree:add(f.func, range(3, 1), code)
    if upstream then
        local bytes = range:bytes()
        local user = ByteArray.new(("%02x%02x%02x"):format(bytes:get_index(2), bytes:get_index(1), bytes:get_index(0)))
        tree:add(f.user_bytes, range(0, 3), user:raw())
    end
    return "call of function " .. code
end

local function describe_return(code)
    return RETURN_CODES[code] or (code >= 0x10 and code <= 0x7f and "error of the routine" or "unknown")
end

local function add_result(tree, range, record)
    local value = range:uint()
    local code = value
    if record.session.dialect == UPSTREAM then
        code = bit.rshift(value, 8)
    end
    local what = describe_return(code)
    local item = tree:add(f.return_code, range, code):append_text(" (" .. what .. ")")
    if code ~= 0 then
        what = ("return code 0x%02x (%s)"):format(code, what)
        item:add_proto_expert_info(refused, "The RPC failed: " .. what)
    end
    if record.rpc then
        tree:add(f.request_in, record.rpc.frame):set_generated()
        tree:add(f.time, NSTime.new(math.floor(record.took), (record.took % 1) * 1e9)):set_generated()
    else
        item:add_proto_expert_info(no_request)
    end
    return "result, " .. what
end

-- Ties a result to the call that it answers, and recognises what is sent again.
local function follow_rpc(record, psn, pinfo)
    local session = record.session
    local rpc = session.rpc
    if record.to_server then
        record.again = rpc ~= nil and rpc.call == psn
        if not record.again then
            session.rpc = { call = psn, frame = pinfo.number, began = pinfo.rel_ts }
        end
    elseif rpc then
        record.again = rpc.result == psn
        if rpc.result == nil or record.again then
            rpc.result = psn
            record.rpc = rpc
            record.took = pinfo.rel_ts - rpc.began
        end
    end
end

local function follow_write(tvb, pinfo, opcode)
    local e = ends[key(pinfo.dst, tvb(5, 3):uint())]
    if not (e and e.session.sure) then
        return nil
    end
    local record = { opcode = opcode, session = e.session, to_server = e.to_server }
    if immediate_of(tvb, opcode) then
        follow_rpc(record, tvb(9, 3):uint(), pinfo)
    end
    return record
end

local function add_region(tree, rkey, session)
    local index = rkey and session.rkeys[rkey:uint()]
    if not index then
        return "data"
    end
    tree:add(f.region, rkey, index):set_generated()
    return "region " .. index
end

local function add_write(tvb, pinfo, tree, record)
    local rkey, immediate = rkey_of(tvb, record.opcode), immediate_of(tvb, record.opcode)
    local subtree = tree:add(naaice, immediate or rkey)
    local what = add_region(subtree, rkey, record.session)
    if immediate then
        subtree:add(f.immediate, immediate)
        local add = record.to_server and add_call or add_result
        what = add(subtree, immediate, record) .. (record.again and ", sent again" or "")
        add_dialect(subtree, record.session)
    elseif record.opcode == WRITE_ONLY and tvb:len() == LENGTHS[WRITE_ONLY] then
        what = what .. ", no bytes"
    end
    subtree:append_text(", " .. what)
    pinfo.cols.info:append(" [NAAICE: " .. what .. "]")
end

-- ---- every packet --------------------------------------------------------------------------------------------------

local function first_look(tvb, pinfo, opcode)
    if not LENGTHS[opcode] or tvb:len() < LENGTHS[opcode] then
        return nil
    elseif opcode == DATAGRAM then
        follow_handshake(tvb, pinfo)
        return nil
    end
    return (is_send(opcode) and follow_send or follow_write)(tvb, pinfo, opcode)
end

function naaice.dissector(tvb, pinfo, tree)
    if not pinfo.visited and tvb:len() > 0 then
        frames[pinfo.number] = first_look(tvb, pinfo, tvb(0, 1):uint())
    end
    local record = frames[pinfo.number]
    current = record and is_send(record.opcode) and record or nil
    pcall(roce.call, roce, tvb, pinfo, tree) -- which shows by itself that a packet is malformed
    if record and not current then
        add_write(tvb, pinfo, tree, record)
    end
end

-- Stands before Wireshark's own dissector, which it calls: that one does not tell others of all packets.
DissectorTable.get("udp.port"):set(4791, naaice)
