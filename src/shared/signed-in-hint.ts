/** The cookie that tells our own pages to ask for the session. It grants nothing. */
export const signedInHint = 'mayfly.signed_in'
