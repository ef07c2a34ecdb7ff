/** For how many days the analytics count downloads. The last of these days is today. */
export const analyticsDays = 30
