package dev.outboard.ccip.litmus;

import dev.outboard.ccip.platform.MemoryModel;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/// A scenario on a platform, with a channel for each that the scenario leaves open. Immutable.
public final class Variant {
    private final Scenario scenario;
    private final Profile profile;
    private final MemoryModel model;
    private final Map<String, VirtualChannel> channels;

    private Variant(
            Scenario scenario,
            Profile profile,
            MemoryModel model,
            Map<String, VirtualChannel> channels) {
        this.scenario = scenario;
        this.profile = profile;
        this.model = model;
        this.channels = channels;
    }

    /// All variants of a scenario on a platform, with the order that the manual promises.
    public static List<Variant> of(Scenario scenario, Profile profile) {
        return of(scenario, profile, MemoryModel.MANUAL);
    }

    /// All variants of a scenario on a platform: none if it needs interrupts and there are none.
    public static List<Variant> of(Scenario scenario, Profile profile, MemoryModel model) {
        if (!scenario.interrupts().isEmpty() && !profile.interrupts()) {
            return List.of();
        }
        List<Map<String, VirtualChannel>> choices = new ArrayList<>();
        choices.add(Map.of());
        for (AfuStep step : scenario.afu()) {
            String open = channel(step);
            if (!open.isEmpty() && !choices.getFirst().containsKey(open)) {
                choices = choices.stream().flatMap(c -> with(c, open, profile).stream()).toList();
            }
        }
        return choices.stream()
                .map(choice -> new Variant(scenario, profile, model, choice))
                .toList();
    }

    private static String channel(AfuStep step) {
        return switch (step) {
            case AfuStep.Read read -> read.channel();
            case AfuStep.Write write -> write.channel();
            case AfuStep.Fence fence -> fence.channel();
            case AfuStep.Interrupt interrupt -> "";
            case AfuStep.Wait wait -> "";
        };
    }

    private static List<Map<String, VirtualChannel>> with(
            Map<String, VirtualChannel> taken, String open, Profile profile) {
        List<Map<String, VirtualChannel>> all = new ArrayList<>();
        for (VirtualChannel channel : choices(taken, open, profile)) {
            Map<String, VirtualChannel> more = new LinkedHashMap<>(taken);
            more.put(open, channel);
            all.add(more);
        }
        return all;
    }

    private static List<VirtualChannel> choices(
            Map<String, VirtualChannel> taken, String open, Profile profile) {
        List<VirtualChannel> choices = new ArrayList<>(profile.channels());
        if (open.startsWith("any")) {
            choices.addFirst(VirtualChannel.VA);
            return choices;
        }
        if (isNamed(open) && profile.has(VirtualChannel.valueOf(open))) {
            return List.of(VirtualChannel.valueOf(open));
        }
        if (choices.size() == 1) {
            choices.addFirst(VirtualChannel.VA);
        }
        taken.forEach((other, channel) -> {
            if (!other.startsWith("any") && !other.equals("VA")) {
                choices.remove(channel);
            }
        });
        return choices;
    }

    private static boolean isNamed(String open) {
        return open.startsWith("V");
    }

    /// The scenario.
    public Scenario scenario() {
        return scenario;
    }

    /// The platform.
    public Profile profile() {
        return profile;
    }

    /// How much order there is.
    public MemoryModel model() {
        return model;
    }

    /// What is expected.
    public List<Expectation> expectations() {
        return scenario.expectations(profile, model);
    }

    VirtualChannel channel(String name) {
        return Objects.requireNonNull(channels.get(name), name);
    }

    /// The channels that the scenario leaves open, such as `c=VL0 d=VH0`.
    public String channels() {
        return channels.entrySet().stream()
                .filter(entry -> !entry.getKey().equals(entry.getValue().name()))
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
        String name = (scenario + " " + profile.name() + " " + channels()).strip();
        return model == MemoryModel.MANUAL ? name : name + " " + model;
    }
}
