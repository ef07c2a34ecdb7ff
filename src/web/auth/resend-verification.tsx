import { useState } from 'react'
import { call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { tellFailure } from './use-auth-form.ts'

/**
 * Offers to send the email that verifies an address again, after a login failed because the address
 * is not verified.
 */
export function ResendVerification({
  email,
  mailWaits,
}: {
  email: string
  /** How the email reaches people if the server sends no mail; null if it sends mail. */
  mailWaits: string | null
}) {
  const [busy, setBusy] = useState(false)

  const resend = async () => {
    setBusy(true)
    try {
      const { message } = await call('resendVerification', { body: { email } })
      // The server's message says that the email was sent. If the server sends no mail, that is
      // untrue.
      if (mailWaits === null) toast({ title: 'Verification email sent', description: message })
      else toast({ title: 'Verification email written again', description: mailWaits })
    } catch (error) {
      const description = 'Failed to send the email. Please try again.'
      tellFailure({ failed: { title: 'Error', description } }, error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="rounded-control border border-edge p-4">
      <p className="font-[560]">Your email address is not verified yet</p>
      <p className="mt-1 mb-3 text-muted text-sm wrap-anywhere">
        {mailWaits === null
          ? `Open the link in the email that we sent to ${email}.`
          : `Open the link in the email to ${email}. ${mailWaits}`}
      </p>
      <Button onClick={resend} pending={busy} pendingLabel="Sending...">
        Send the email again
      </Button>
    </div>
  )
}
