import { useState } from 'react'
import { call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toast.tsx'
import { tellFailure } from './use-auth-form.ts'

/**
 * Offers to send the email that verifies an address again, after a login failed because the address
 * is not verified.
 */
export function ResendVerification({ email }: { email: string }) {
  const [busy, setBusy] = useState(false)

  const resend = async () => {
    setBusy(true)
    try {
      const { message } = await call('resendVerification', { body: { email } })
      toast({ title: 'Verification email sent', description: message })
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
        Open the link in the mail that we sent to {email}.
      </p>
      <Button onClick={resend} pending={busy} pendingLabel="Sending...">
        Send the email again
      </Button>
    </div>
  )
}
