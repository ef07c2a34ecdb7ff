/** How many of the newest users the administrator sees without a search. */
export const topUsers = 5

/** A search shows at most this many users: the newest of those that match. */
export const mostFoundUsers = 50
