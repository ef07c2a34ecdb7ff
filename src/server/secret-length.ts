/**
 * The secret that signs sessions and links has at least this many characters. It is `AUTH_SECRET`,
 * or else the text of the file `secret` in the data folder. A shorter file counts as damaged.
 */
export const minSecretLength = 32
