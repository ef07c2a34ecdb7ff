const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

function twoDigits(n: number) {
  return String(n).padStart(2, '0')
}

/**
 * Writes a moment as 'Tue 24 Nov, 14:02' in the zone that lies `minutesWest` of UTC at that moment
 * (the result of `getTimezoneOffset`). Without a zone the text is in UTC and says so. It names no
 * year, because all dates of this product lie within 30 days.
 */
export function momentText(moment: Date, minutesWest?: number): string {
  const there = new Date(moment.getTime() - (minutesWest ?? 0) * 60_000)
  const day = `${weekdays[there.getUTCDay()]} ${there.getUTCDate()} ${months[there.getUTCMonth()]}`
  const time = `${twoDigits(there.getUTCHours())}:${twoDigits(there.getUTCMinutes())}`
  return `${day}, ${time}${minutesWest === undefined ? ' UTC' : ''}`
}
