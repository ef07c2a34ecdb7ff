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

/** Spec §2, login: 'Forgot password?' opens a dialog that sends a mail for a new password. */
export function ForgotPassword() {
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
        description="We send a letter to your address. The link in it lets you set a new password."
      >
        <ForgotPasswordForm onClose={() => setOpen(false)} />
      </FormDialog>
    </>
  )
}

function ForgotPasswordForm({ onClose }: { onClose: () => void }) {
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
      toast({ title: 'Password reset email sent', description: message })
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
