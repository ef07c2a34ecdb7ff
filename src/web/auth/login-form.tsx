import { useState } from 'react'
import { account } from '../../shared/contract/account.ts'
import { ApiError, call, NetworkError, publicMessage } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast, toastOnNextPage } from '../ui/toast.tsx'
import { faultsByField } from './faults.ts'
import { checkConnection } from './texts.ts'

const names = ['email', 'password'] as const
type Values = Record<(typeof names)[number], string>

/** Signs in with email and password. Success leads to / with a full reload (spec §4). */
export function LoginForm({ email }: { email?: string | undefined }) {
  const [errors, setErrors] = useState<Partial<Values>>({})

  const logIn = async (values: Values) => {
    const checked = account.login.body.safeParse(values)
    if (!checked.success) {
      setErrors(faultsByField(checked.error.issues, values))
      return 'stay'
    }
    setErrors({})
    try {
      await call('login', { body: checked.data })
    } catch (error) {
      // Spec §8: shows the server's message when present, or else the default.
      toast({
        title: 'Login failed',
        description:
          error instanceof NetworkError
            ? checkConnection
            : (publicMessage(error) ?? 'Invalid email or password. Please try again.'),
        tone: 'destructive',
      })
      if (error instanceof ApiError && error.code === 'INVALID_CREDENTIALS') {
        setErrors({ password: 'Email and password do not belong together.' })
      }
      return 'stay'
    }
    toastOnNextPage({ title: 'Welcome back!' })
    window.location.replace('/')
    return 'leave'
  }

  return (
    <Form names={names} errors={errors} onSubmit={logIn}>
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
            error={errors.email}
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            error={errors.password}
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
