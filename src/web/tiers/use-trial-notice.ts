import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { type TrialNotice, trialNotice, trialOfferPath } from '../../shared/rules/tiers/trial.ts'
import { scheduleCheck, serverNow } from '../api/server-clock.ts'
import { currentUserQuery } from '../api/use-current-user.ts'

/** Spec §9: the trial banner is computed again every 60 s. */
const refreshMs = 60_000
/** When to ask again if the server still answers premium after the end of the trial. */
const askAgainMs = 5000

/** Returns what the banner says about the user's trial at a moment; null for nothing. */
function noticeFor(user: User, now: Date): TrialNotice | null {
  const date = (text: string | null) => (text === null ? null : new Date(text))
  const facts = {
    tier: user.tier,
    premiumTrialStartedAt: date(user.premiumTrialStartedAt),
    premiumTrialEndsAt: date(user.premiumTrialEndsAt),
  }
  const notice = trialNotice(facts, now)
  // Spec §2: the administrator can switch their own tier by a button, so a trial brings nothing.
  return notice?.kind === 'offer' && user.isAdmin ? null : notice
}

/**
 * Returns what the banner says about the user's trial now; null for nothing. At the end of the
 * trial, the user is read again, so that the rest of the page shows the new tier.
 */
export function useTrialNotice(user: User): TrialNotice | null {
  const client = useQueryClient()
  const [now, setNow] = useState(serverNow)
  const notice = noticeFor(user, now)
  const endsAt = user.premiumTrialEndsAt
  const isOld = notice?.kind === 'expired' && tierTraits[user.tier].upgradesTo === null

  useEffect(() => {
    if (isOld) void client.invalidateQueries(currentUserQuery)
    const update = () => setNow(serverNow())
    const leftMs = endsAt === null ? 0 : Date.parse(endsAt) - now.getTime()
    const waitMs = isOld ? askAgainMs : leftMs > 0 ? Math.min(refreshMs, leftMs) : refreshMs
    return scheduleCheck(update, waitMs)
  }, [client, endsAt, isOld, now])
  return notice
}

const storageKey = 'mayfly-dismissed-notice'

/**
 * Returns whether a person has dismissed the notice of this name, and a function that dismisses it.
 * The browser remembers only the last dismissed notice, so any other notice is shown.
 */
export function useDismissed(name: string): [isDismissed: boolean, dismiss: () => void] {
  const [dismissed, setDismissed] = useState(readDismissed)
  const dismiss = () => {
    setDismissed(name)
    try {
      localStorage.setItem(storageKey, name)
    } catch {
      // localStorage is blocked or full, so the next page shows the notice again.
    }
  }
  return [dismissed === name, dismiss]
}

function readDismissed(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

const trialQuery = 'trial'
const offer = new URL(trialOfferPath, 'http://any.example').searchParams.get(trialQuery)

/**
 * Returns whether the user came by the offer of a trial (`trialOfferPath`) and may still start one.
 * Also returns a function that forgets how the user came.
 */
export function useWantedTrial(user: User): [isWanted: boolean, forget: () => void] {
  const [params, setParams] = useSearchParams()
  const isOffered = useTrialNotice(user)?.kind === 'offer'
  const forget = () =>
    setParams((before) => [...before].filter(([name]) => name !== trialQuery), { replace: true })
  return [isOffered && params.get(trialQuery) === offer, forget]
}
