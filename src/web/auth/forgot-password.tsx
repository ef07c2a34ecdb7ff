import { useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { DialogButtons, FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { useAuthForm } from './use-auth-form.ts'

/** Leaves enough time to read the confirmation and copy the support address. */
const confirmationMs = 60_000

export interface ForgotPasswordProps {
  /** If the server can't send email, a note that says whom to ask for help; otherwise null. */
  noEmailNote: string | null
  /** Returns the email address entered in the login form. */
  getEmail: () => string
}

/**
 * The 'Forgot password?' link on the login page. Opens a dialog to request a password reset email
 * (spec §2).
 */
export function ForgotPassword({ noEmailNote, getEmail }: ForgotPasswordProps) {
  const [open, setOpen] = useState(false)
  const [email, setEmail] = useState('')
  return (
    <>
      <Button
        variant="quiet"
        wide
        onClick={() => {
          setEmail(getEmail())
          setOpen(true)
        }}
      >
        Forgot password?
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Reset your password"
        description={
          noEmailNote === null
            ? 'We send an email to your address. The link in it lets you set a new password.'
            : `Ask here for an email whose link lets you set a new password. ${noEmailNote}`
        }
      >
        <ForgotPasswordForm
          email={email}
          hint={noEmailNote === null ? '' : ` ${noEmailNote}`}
          onClose={() => setOpen(false)}
        />
      </FormDialog>
    </>
  )
}

interface ForgotPasswordFormProps {
  email: string
  /** Appended to the server's message in the confirmation toast. */
  hint: string
  onClose: () => void
}

function ForgotPasswordForm({ email, hint, onClose }: ForgotPasswordFormProps) {
  const form = useAuthForm({
    schema: account.forgotPassword.body,
    // Spec §5 requires the email address for a password reset.
    errorToast: ({ email }) =>
      email.trim() === ''
        ? { title: 'Email required', description: 'Please enter your email address.' }
        : null,
    send: async (body) => {
      const { message } = await call('POST /api/auth/forgot-password', { body })
      toast({
        title: 'Password reset email sent',
        description: `${message}${hint}`,
        durationMs: confirmationMs,
      })
      onClose()
      return 'leave'
    },
    failed: {
      title: 'Error',
      description: 'Failed to send reset email. Please try again.',
    },
  })

  return (
    <Form {...form}>
      <TextField
        label="Email address"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
      />
      <DialogButtons label="Send Reset Email" variant="primary" pendingLabel="Sending..." />
    </Form>
  )
}
