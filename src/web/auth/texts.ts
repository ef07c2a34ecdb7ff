/** What is said when no answer came at all; the words are the spec's (§8, network failure). */
export const checkConnection = 'Please check your connection and try again'
