/** The maximum length of a first or last name. */
export const maxNameLength = 100
