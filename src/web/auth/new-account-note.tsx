import { CircleCheck, Mail } from 'lucide-react'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { tokenLifetimeMs } from '../../shared/rules/accounts/session-life.ts'
import { durationText } from '../../shared/rules/format/numbers.ts'

export interface NewAccountNoteProps {
  account: NewAccount
  /** How the email reaches people if the server sends no mail; null if it sends mail. */
  mailWaits: string | null
  /** A link to the signup, for somebody whose address has a typing error. */
  again: ReactNode
}

/**
 * Says on the login page that the signup has succeeded, and what to do next. Unlike the toast of
 * the signup it stays.
 */
export function NewAccountNote({ account, mailWaits, again }: NewAccountNoteProps) {
  const Icon = account.requiresVerification ? Mail : CircleCheck
  return (
    <div role="status" className="mb-6 flex gap-2.5 rounded-control bg-tint px-3.5 py-3">
      <Icon aria-hidden="true" className="mt-0.5 size-[18px] shrink-0 text-accent" />
      <p className="min-w-0 wrap-anywhere">
        {account.requiresVerification ? (
          <>
            {mailWaits ?? `We sent an email to ${account.email}.`} Open the link in it within{' '}
            {durationText(tokenLifetimeMs['verify-email'])}, then sign in here. Wrong address?{' '}
            {again}.
          </>
        ) : (
          'Your account is ready. Sign in with the password that you have just chosen.'
        )}
      </p>
    </div>
  )
}

const newAccount = z.object({
  email: z.string(),
  /** True if the account begins to exist only when somebody opens the link in its email. */
  requiresVerification: z.boolean(),
})

/** What the signup page tells the login page about the account that was just made. */
export type NewAccount = z.infer<typeof newAccount>

/**
 * Returns the account in a state of the browser's history; null if the state holds none. The
 * browser keeps that state when the page is loaded again, so an older version of this program may
 * have written it.
 */
export function readNewAccount(state: unknown): NewAccount | null {
  return newAccount.safeParse(state).data ?? null
}
