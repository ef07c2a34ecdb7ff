import { useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { useAuthForm } from './use-auth-form.ts'

const names = ['email'] as const

/** How long the confirmation stays, so that there is time to read it and copy the address. */
const confirmationMs = 60_000

export interface ForgotPasswordProps {
  /** Whether the server sends mail. If not, a letter reaches people only through the operator. */
  sendsMail: boolean
  /** Whom to ask for the letter; undefined until it is known. */
  supportEmail: string | undefined
}

/** Spec §2, login: 'Forgot password?' opens a dialog that sends a mail for a new password. */
export function ForgotPassword({ sendsMail, supportEmail }: ForgotPasswordProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="quiet" wide onClick={() => setOpen(true)}>
        Forgot password?
      </Button>
      <FormDialog
        open={open}
        onOpenChange={setOpen}
        title="Reset your password"
        description={
          <>
            {sendsMail
              ? 'We send a letter to your address.'
              : `${howToGet(supportEmail)} Ask for it here first.`}{' '}
            The link in it lets you set a new password.
          </>
        }
      >
        <ForgotPasswordForm
          hint={sendsMail ? '' : ` ${howToGet(supportEmail)}`}
          onClose={() => setOpen(false)}
        />
      </FormDialog>
    </>
  )
}

/** Says how the letter reaches somebody where the server sends no mail. */
function howToGet(supportEmail: string | undefined): string {
  return `This server sends no mail: the letter waits with its operator. Write to ${supportEmail ?? 'support'} to get it.`
}

interface ForgotPasswordFormProps {
  /** What the confirmation says after the server's message. */
  hint: string
  onClose: () => void
}

function ForgotPasswordForm({ hint, onClose }: ForgotPasswordFormProps) {
  const form = useAuthForm({
    names,
    schema: account.forgotPassword.body,
    // Spec §5, forgot password: the email is required.
    faultToast: ({ email }) =>
      email.trim() === ''
        ? { title: 'Email required', description: 'Please enter your email address.' }
        : null,
    send: async (body) => {
      const { message } = await call('forgotPassword', { body })
      toast({
        title: 'Password reset email sent',
        description: `${message}${hint}`,
        duration: confirmationMs,
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
      {(busy) => (
        <>
          <TextField
            label="Email address"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="username"
            verbatim
            required
            error={form.errors.email}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" pending={busy} pendingLabel="Sending...">
              Send Reset Email
            </Button>
          </div>
        </>
      )}
    </Form>
  )
}
