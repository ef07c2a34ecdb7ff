import { CircleAlert } from 'lucide-react'
import type { SignInFault } from '../../shared/rules/accounts/sign-in-fault.ts'
import { signInFaultTexts } from './sign-in-fault-texts.ts'

/** Says why a sign-in with Google failed, and what the person can do. */
export function SignInFaultNote({ fault }: { fault: SignInFault }) {
  return (
    <p role="alert" className="mb-6 flex gap-2.5 rounded-control border border-red px-3.5 py-3">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-red" />
      {signInFaultTexts[fault]}
    </p>
  )
}
