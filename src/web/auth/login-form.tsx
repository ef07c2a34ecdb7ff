import { account } from '../../shared/contract/account.ts'
import { call } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toastOnNextPage } from '../ui/toast.tsx'
import { useAuthForm } from './use-auth-form.ts'

const names = ['email', 'password'] as const

/** Signs in with email and password. Success leads to / with a full reload (spec §4). */
export function LoginForm({ email }: { email?: string | undefined }) {
  const form = useAuthForm({
    names,
    schema: account.login.body,
    send: async (body) => {
      await call('login', { body })
      toastOnNextPage({ title: 'Welcome back!' })
      window.location.replace('/')
      return 'leave'
    },
    failed: {
      title: 'Login failed',
      description: 'Invalid email or password. Please try again.',
    },
    refusals: { INVALID_CREDENTIALS: { password: 'Email and password do not belong together.' } },
  })

  return (
    <Form {...form}>
      {(busy) => (
        <>
          <TextField
            label="Email"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="username"
            verbatim
            required
            defaultValue={email}
            error={form.errors.email}
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            error={form.errors.password}
          />
          <Button
            type="submit"
            variant="primary"
            size="large"
            wide
            pending={busy}
            pendingLabel="Signing in..."
          >
            Sign In
          </Button>
        </>
      )}
    </Form>
  )
}
