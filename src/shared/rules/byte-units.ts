/* The units in which the code counts bytes. */

export const mebibyte = 1024 ** 2

export const gibibyte = 1024 * mebibyte
