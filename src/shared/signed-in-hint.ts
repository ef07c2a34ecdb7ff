/**
 * The name of a cookie that only tells our own pages that somebody seems to be signed in. They then
 * ask the server for the user. The cookie gives no rights.
 */
export const signedInHint = 'mayfly.signed_in'
