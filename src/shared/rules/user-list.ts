/** Spec §2: how many users the administrator sees without a search: the newest. */
export const topUsers = 5

/** How many users a search shows at most: the newest that match. */
export const mostFoundUsers = 50
