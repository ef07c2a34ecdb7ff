/** The pictures that are accepted as a logo. Their bytes decide the type, not their file names. */
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const

/** The most bytes that a picture may have when it is sent. */
export const maxLogoBytes = 1024 ** 2

/** The largest width and the largest height of a picture, in pixels. */
export const maxLogoSide = 4096
