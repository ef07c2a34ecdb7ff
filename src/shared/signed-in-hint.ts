/**
 * The cookie that tells our pages that the user is probably signed in. It doesn't grant any access.
 */
export const signedInHintCookie = 'mayfly.signed_in'
