/** The cookie that tells our pages that someone may be signed in. It gives no access. */
export const signedInHint = 'mayfly.signed_in'
