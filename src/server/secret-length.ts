/** A secret has at least this many characters, whether it is set or read from its file. */
export const minSecretLength = 32
