import { useSearchParams } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import { trialOfferPath } from '../../shared/rules/tiers/trial.ts'
import { useTrialNotice } from './use-trial-notice.ts'

const query = 'trial'
const offer = new URL(trialOfferPath, 'http://any.example').searchParams.get(query)

/**
 * Returns whether the user came by the offer of a trial (`trialOfferPath`) and may still start one.
 * Also returns a function that forgets how the user came.
 */
export function useWantedTrial(user: User): [isWanted: boolean, forget: () => void] {
  const [params, setParams] = useSearchParams()
  const isOffered = useTrialNotice(user)?.kind === 'offer'
  const forget = () =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete(query)
        return after
      },
      { replace: true },
    )
  return [isOffered && params.get(query) === offer, forget]
}
