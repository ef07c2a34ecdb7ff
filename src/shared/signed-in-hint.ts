/** The cookie that tells our pages that the user is probably signed in. It grants no access. */
export const signedInHintCookie = 'mayfly.signed_in'
