/** The pictures that become a logo, by what their bytes are; their names tell nothing. */
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const

/** The most bytes that a picture may have when it is sent. */
export const maxLogoBytes = 1024 ** 2

/** The most pixels that a picture may be wide, and high. */
export const maxLogoSide = 4096
