import { CircleAlert } from 'lucide-react'
import { useSearchParams } from 'wouter'
import { readSignInFault } from '../../shared/rules/sign-in-fault.ts'
import { signInFaultTexts } from './sign-in-fault-texts.ts'

/**
 * Says why a sign-in with Google did not end as wanted: the query `fault` names the reason. Nothing
 * is shown of any other text in the address.
 */
export function SignInFaultNote() {
  const [search] = useSearchParams()
  const fault = readSignInFault(search.get('fault'))
  if (fault === null) return null
  return (
    <p role="alert" className="mb-6 flex gap-2.5 rounded-control border border-red px-3.5 py-3">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-red" />
      {signInFaultTexts[fault]}
    </p>
  )
}
