/**
 * The least length of the server's secret, in characters. The secret signs session cookies and the
 * presigned URLs of files on the disk. It is `AUTH_SECRET`, or else the text of the file `secret`
 * in the data folder. The server does not start with a shorter one.
 */
export const minSecretLength = 32
