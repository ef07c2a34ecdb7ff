import { type ListedUser, mostFoundUsers } from '../../shared/contract/admin.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { shortName } from '../ui/file-name.tsx'

/** The greatest length of a name inside a sentence, in characters. */
const longestInSentence = 40

/** Returns what a sentence calls a user: the name, or the mail address if there is no name. */
export function shownName({ name, email }: Pick<ListedUser, 'name' | 'email'>): string {
  return shortName(name.trim() || email, longestInSentence)
}

export interface ShownUsers {
  search: string
  /** How many users the list shows. */
  shown: number
  /** How many users the server has. Undefined until the page knows it. */
  total: number | undefined
}

/** Says which users the list shows. Examples: 'The 5 newest of 1,284', '12 found'. */
export function usersNote({ search, shown, total }: ShownUsers): string {
  if (search !== '') {
    return shown < mostFoundUsers ? `${shown} found` : `The ${shown} newest that match`
  }
  if (total === undefined || total <= shown) return counted(shown, 'user')
  return `The ${shown} newest of ${total.toLocaleString('en')}`
}

/** Returns the text of a user's badge: the tier, and the word 'trial' while a trial runs. */
export function tierText(user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>, now: Date): string {
  const { name } = tierTraits[user.tier]
  return isTrial(user, now) ? `${name}, trial` : name
}

function isTrial(user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>, now: Date): boolean {
  const { upgradesTo } = tierTraits[user.tier]
  return upgradesTo === null && Date.parse(user.premiumTrialEndsAt ?? '') > now.getTime()
}

/**
 * Says what a user of the highest tier loses if the administrator switches the user to the lowest
 * tier.
 */
export function downgradeText(
  user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>,
  now: Date,
): string {
  const trial = isTrial(user, now)
    ? ' The rest of the trial is lost, and there is no second trial.'
    : ''
  return `Files of this user whose links have ended are deleted within minutes, because only ${tierTraits[user.tier].name} can renew them. Open links stay open until their own dates.${trial} This cannot be undone.`
}

/** Says what the server removes together with a user. */
export function deletionText({
  fileCount,
  sessionCount,
}: Pick<ListedUser, 'fileCount' | 'sessionCount'>): string {
  const sessions = sessionCount === 0 ? '' : `${counted(sessionCount, 'open session')}, `
  const others = `${sessions}uploads under way, brand and waiting emails`
  const files =
    fileCount === 0
      ? `This account has no files. Its ${others} are deleted with it.`
      : `${counted(fileCount, 'file')} with ${fileCount === 1 ? 'its link is' : 'their links are'} deleted with this account, as well as its ${others}.`
  return `${files} This cannot be undone.`
}

/** Tells whether both texts are the same mail address. Upper and lower case do not matter. */
export function isSameAddress(typed: string, email: string): boolean {
  return typed.trim().toLowerCase() === email.toLowerCase()
}
