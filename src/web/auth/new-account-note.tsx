import { CircleCheck, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { tokenLifetimeMs } from '../../shared/rules/accounts/session-lifetime.ts'
import { durationText } from '../../shared/rules/format/numbers.ts'

export interface NewAccountNoteProps {
  account: NewAccount
  /** If the server can't send email, a note that says whom to ask for help; otherwise null. */
  noEmailNote: string | null
  /** A link back to the signup page, in case the email address has a typo. */
  signupLink: ReactNode
}

/**
 * Confirms the signup on the login page and says what to do next. Unlike the signup toast, it
 * doesn't disappear.
 */
export function NewAccountNote({ account, noEmailNote, signupLink }: NewAccountNoteProps) {
  const Icon = account.requiresVerification ? Mail : CircleCheck
  return (
    <div role="status" className="mb-6 flex gap-2.5 rounded-control bg-tint px-3.5 py-3">
      <Icon aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-accent" />
      <p className="min-w-0 wrap-anywhere">
        {account.requiresVerification ? (
          <>
            {noEmailNote ?? `We sent an email to ${account.email}.`} Open the link in it within{' '}
            {durationText(tokenLifetimeMs['verify-email'])}, then sign in here. Wrong address?{' '}
            {signupLink}.
          </>
        ) : (
          'Your account is ready. Sign in with the password that you have just chosen.'
        )}
      </p>
    </div>
  )
}

const newAccountSchema = z.object({
  email: z.string(),
  /** True if the account isn't created until the user opens the link in the email. */
  requiresVerification: z.boolean(),
})

/** The data that the signup page passes to the login page. */
export type NewAccount = z.infer<typeof newAccountSchema>

/**
 * Returns the new account from a history state, or null if there is none. The state survives
 * reloads, so an older version of the page may have written it.
 */
export function readNewAccount(state: unknown): NewAccount | null {
  return newAccountSchema.safeParse(state).data ?? null
}
