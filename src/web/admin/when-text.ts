/**
 * Writes a moment as people say it, in the browser's time zone. The year is left out if it is the
 * current one. Examples: 'today, 11:28:04', 'yesterday, 22:40:09', '19 Nov, 16:02:47'.
 */
export function whenText(moment: Date, now: Date): string {
  const time = moment.toLocaleTimeString('en-GB')
  return `${dayOf(moment, now)}, ${time}`
}

function dayOf(moment: Date, now: Date): string {
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (isSameDay(moment, now)) return 'today'
  if (isSameDay(moment, yesterday)) return 'yesterday'
  const isThisYear = moment.getFullYear() === now.getFullYear()
  return moment.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
}

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString()
}
