/** The cookie that tells our own pages that there is a session worth asking for. It grants nothing. */
export const signedInHint = 'mayfly.signed_in'
