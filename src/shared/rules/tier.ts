/** Spec §3: what an account may use. The administrator is a role, not a tier. */
export type Tier = 'free' | 'premium'
