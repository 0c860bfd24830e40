/* The version of the device interface, which sources may compare with. */
#ifndef FLEXIO_DEV_VER_H
#define FLEXIO_DEV_VER_H

#define FLEXIO_DEV_VER(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))
#define FLEXIO_DEV_CURRENT_VERSION FLEXIO_DEV_VER(25, 1, 0)
#define FLEXIO_DEV_LAST_SUPPORTED_VERSION FLEXIO_DEV_VER(0, 0, 0)
#define FLEXIO_DEV_VER_LATEST FLEXIO_DEV_CURRENT_VERSION

/* Sources of both spellings compile whatever this is: functions tell them apart by arguments. */
#ifndef FLEXIO_DEV_VER_USED
#define FLEXIO_DEV_VER_USED FLEXIO_DEV_CURRENT_VERSION
#endif

#endif
