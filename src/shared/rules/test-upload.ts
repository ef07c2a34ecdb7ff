/** The largest upload in bytes by which the administrator can test storage. */
export const maxTestUploadSize = 10 * 1024 * 1024
