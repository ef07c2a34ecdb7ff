/** Spec §9. The maximum limits the cost of hashing. */
export const minPasswordLength = 6
export const maxPasswordLength = 128

/** The hint shown in forms (spec §2): 'Must be at least 6 characters long'. */
export const passwordHint = `Must be at least ${minPasswordLength} characters long`

/** Spec §5: 'Password must be at least 6 characters long.' */
export const passwordTooShortText = `Password must be at least ${minPasswordLength} characters long.`
