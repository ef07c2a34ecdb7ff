import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { type TrialNotice, trialNotice, trialOfferPath } from '../../shared/rules/tiers/trial.ts'
import { scheduleChecks, serverNow } from '../api/server-clock.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { readSetting, saveSetting } from '../ui/browser-setting.ts'

/** How often the banner is updated (spec §9: every 60 s). */
const refreshIntervalMs = 60_000
/**
 * How long to wait before checking again if the server still returns premium after the trial's end.
 */
const retryDelayMs = 5000

/** Returns the trial notice to show at the given time, or null for none. */
function getTrialNotice(user: User, now: Date): TrialNotice | null {
  const parseDate = (text: string | null) => (text === null ? null : new Date(text))
  const trialState = {
    tier: user.tier,
    premiumTrialStartedAt: parseDate(user.premiumTrialStartedAt),
    premiumTrialEndsAt: parseDate(user.premiumTrialEndsAt),
  }
  const notice = trialNotice(trialState, now)
  // The administrator can switch tiers at any time (spec §2) and needs no trial.
  return notice?.kind === 'offer' && user.isAdmin ? null : notice
}

/**
 * Returns the current trial notice, or null for none. Reloads the user when the trial ends so that
 * the whole page shows the new tier.
 */
export function useTrialNotice(user: User): TrialNotice | null {
  const client = useQueryClient()
  const [now, setNow] = useState(serverNow)
  const notice = getTrialNotice(user, now)
  const isUserOutdated = notice?.kind === 'expired' && tierTraits[user.tier].upgradesTo === null

  useEffect(() => {
    if (!isUserOutdated) return scheduleChecks(() => setNow(serverNow()), refreshIntervalMs)
    const reloadUser = () => void client.invalidateQueries(currentUserQuery)
    reloadUser()
    return scheduleChecks(reloadUser, retryDelayMs)
  }, [client, isUserOutdated])
  return notice
}

const storageKey = 'mayfly-dismissed-notice'

/**
 * Returns whether a notice was dismissed, and a function that dismisses it. The browser remembers
 * only the last dismissed notice.
 */
export function useDismissed(name: string): [isDismissed: boolean, dismiss: () => void] {
  const [dismissedName, setDismissedName] = useState(() => readSetting(storageKey))
  const dismiss = () => {
    setDismissedName(name)
    saveSetting(storageKey, name)
  }
  return [dismissedName === name, dismiss]
}

const trialParameter = 'trial'
const offerValue = new URL(trialOfferPath, 'http://any.example').searchParams.get(trialParameter)

/**
 * Reports whether the user followed a trial offer (`trialOfferPath`) and can still start a trial.
 * `forget` removes the offer from the URL.
 */
export function useRequestedTrial(user: User): [isWanted: boolean, forget: () => void] {
  const [params, setParams] = useSearchParams()
  const isOffered = useTrialNotice(user)?.kind === 'offer'
  const clearRequest = () =>
    setParams((previous) => [...previous].filter(([name]) => name !== trialParameter), {
      replace: true,
    })
  return [isOffered && params.get(trialParameter) === offerValue, clearRequest]
}
