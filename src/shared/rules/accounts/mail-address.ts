/** The greatest length of a mail address, in characters (RFC 5321, section 4.5.3.1). */
export const longestAddress = 254
