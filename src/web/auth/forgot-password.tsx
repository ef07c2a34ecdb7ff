import { useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { call, NetworkError, publicMessage } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { faultsByField } from './faults.ts'
import { checkConnection } from './texts.ts'

const names = ['email'] as const

/** Spec §2, login: 'Forgot password?' opens a dialog that asks for a letter. */
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
  const [errors, setErrors] = useState<{ email?: string }>({})

  const ask = async (values: { email: string }) => {
    const checked = account.forgotPassword.body.safeParse(values)
    if (!checked.success) {
      setErrors(faultsByField(checked.error.issues, values))
      // Spec §5, forgot password: the email is required.
      if (values.email.trim() === '') {
        toast({
          title: 'Email required',
          description: 'Please enter your email address.',
          tone: 'destructive',
        })
      }
      return 'stay'
    }
    setErrors({})
    try {
      const { message } = await call('forgotPassword', { body: checked.data })
      toast({ title: 'Password reset email sent', description: message })
      onClose()
      return 'leave'
    } catch (error) {
      // Spec §8: shows the server's message when present, or else the default.
      toast({
        title: 'Error',
        description:
          error instanceof NetworkError
            ? checkConnection
            : (publicMessage(error) ?? 'Failed to send reset email. Please try again.'),
        tone: 'destructive',
      })
      return 'stay'
    }
  }

  return (
    <Form names={names} errors={errors} onSubmit={ask}>
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
            error={errors.email}
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
