import { type ListedUser, maxUserResults } from '../../shared/contract/admin.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { shortName } from '../ui/file-name.tsx'

const maxInlineNameLength = 40

/** Returns the user's name for use in a sentence. Falls back to the email address. */
export function displayName({ name, email }: Pick<ListedUser, 'name' | 'email'>): string {
  return shortName(name.trim() || email, maxInlineNameLength)
}

export interface UserListSummary {
  search: string
  shownCount: number
  /** The number of users on the server; undefined until known. */
  total: number | undefined
}

/**
 * Says which users the list contains: 'The 5 newest of 1,284' without a search, '12 found' with
 * one.
 */
export function describeUserList({ search, shownCount, total }: UserListSummary): string {
  if (search !== '') {
    return shownCount < maxUserResults
      ? `${shownCount} found`
      : `The ${shownCount} newest that match`
  }
  if (total === undefined || total <= shownCount) return formatCount(shownCount, 'user')
  return `The ${shownCount} newest of ${total.toLocaleString('en')}`
}

/** Returns the text for a user's badge: the tier, plus 'trial' during a trial. */
export function tierText(user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>, now: Date): string {
  const { name } = tierTraits[user.tier]
  return isTrial(user, now) ? `${name}, trial` : name
}

function isTrial(user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>, now: Date): boolean {
  const { upgradesTo } = tierTraits[user.tier]
  return upgradesTo === null && Date.parse(user.premiumTrialEndsAt ?? '') > now.getTime()
}

/** Says what a user loses when downgraded from the highest to the lowest tier. */
export function downgradeText(
  user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>,
  now: Date,
): string {
  const isInTrial = isTrial(user, now)
    ? ' The rest of the trial is lost, and there is no second trial.'
    : ''
  return `Files of this user whose links have ended are deleted within minutes, because only ${tierTraits[user.tier].name} can renew them. Open links stay open until their own dates.${isInTrial} This cannot be undone.`
}

/** Says which data is deleted along with a user. */
export function deletionText({
  fileCount,
  sessionCount,
}: Pick<ListedUser, 'fileCount' | 'sessionCount'>): string {
  const sessionsText = sessionCount === 0 ? '' : `${formatCount(sessionCount, 'open session')}, `
  const otherDataText = `${sessionsText}uploads under way, brand and queued emails`
  const filesSentence =
    fileCount === 0
      ? `This account has no files. Its ${otherDataText} are deleted with it.`
      : `${formatCount(fileCount, 'file')} with ${fileCount === 1 ? 'its link is' : 'their links are'} deleted with this account, as well as its ${otherDataText}.`
  return `${filesSentence} This cannot be undone.`
}

/** Reports whether the input matches the email address, ignoring case and surrounding spaces. */
export function isSameAddress(input: string, email: string): boolean {
  return input.trim().toLowerCase() === email.toLowerCase()
}
