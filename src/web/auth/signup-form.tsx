import { useEffect, useState } from 'react'
import { minPasswordLength, signupBody } from '../../shared/contract/account.ts'
import { ApiError, call, NetworkError, publicMessage } from '../api/call.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { toast } from '../ui/toast.tsx'
import { faultsByField } from './faults.ts'
import { checkConnection } from './texts.ts'

const names = ['firstName', 'lastName', 'email', 'password', 'confirmPassword'] as const
type Name = (typeof names)[number]
type Values = Record<Name, string>

/** Spec §9: signup verification redirect 3 s, its toast 10 s. */
const verificationRedirectMs = 3000
const verificationToastMs = 10_000

/** Spec §5, signup: shows one toast, for the first of two faults. */
function tellFaults(faults: Partial<Values>, values: Values) {
  if (values.password !== values.confirmPassword) {
    toast({
      title: 'Password mismatch',
      description: 'Passwords do not match. Please try again.',
      tone: 'destructive',
    })
  } else if (faults.password && values.password.length < minPasswordLength) {
    toast({
      title: 'Password too short',
      description: 'Password must be at least 6 characters long.',
      tone: 'destructive',
    })
  }
}

/** Creates an account. `onDone` is called with the email when it is time to go to the login. */
export function SignupForm({ onDone }: { onDone: (email: string) => void }) {
  const [errors, setErrors] = useState<Partial<Values>>({})
  const [waiting, setWaiting] = useState<string>()

  // Spec §4: signup with requiresVerification set leads to login after 3 seconds.
  useEffect(() => {
    if (waiting === undefined) return
    const timer = setTimeout(() => onDone(waiting), verificationRedirectMs)
    return () => clearTimeout(timer)
  }, [waiting, onDone])

  const signUp = async (values: Values) => {
    const checked = signupBody.safeParse(values)
    if (!checked.success) {
      const faults = faultsByField(checked.error.issues, values)
      setErrors(faults)
      tellFaults(faults, values)
      return 'stay'
    }
    setErrors({})
    try {
      const { requiresVerification } = await call('signup', { body: checked.data })
      toast({
        title: 'Account created successfully!',
        ...(requiresVerification
          ? {
              description: 'Open the link in the mail we sent you, then sign in.',
              duration: verificationToastMs,
            }
          : {}),
      })
      if (requiresVerification) setWaiting(checked.data.email)
      else onDone(checked.data.email)
      return 'leave'
    } catch (error) {
      // Spec §8: shows the server's message when present, or else the default.
      toast({
        title: 'Signup failed',
        description:
          error instanceof NetworkError
            ? checkConnection
            : (publicMessage(error) ?? 'Failed to create account. Please try again.'),
        tone: 'destructive',
      })
      if (error instanceof ApiError && error.code === 'EMAIL_TAKEN') {
        setErrors({ email: 'Sign in with this address, or use another.' })
      }
      return 'stay'
    }
  }

  return (
    <Form names={names} errors={errors} onSubmit={signUp}>
      {(busy) => (
        <>
          <div className="grid items-start gap-5 sm:grid-cols-2 sm:gap-4">
            <TextField
              label="First name"
              name="firstName"
              autoComplete="given-name"
              required
              error={errors.firstName}
            />
            <TextField
              label="Last name"
              name="lastName"
              autoComplete="family-name"
              required
              error={errors.lastName}
            />
          </div>
          <TextField
            label="Email"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="username"
            verbatim
            required
            error={errors.email}
          />
          <PasswordField
            label="Password"
            name="password"
            autoComplete="new-password"
            hint="Must be at least 6 characters long"
            required
            error={errors.password}
          />
          <PasswordField
            label="Confirm password"
            name="confirmPassword"
            autoComplete="new-password"
            required
            error={errors.confirmPassword}
          />
          <Button
            type="submit"
            variant="primary"
            size="large"
            wide
            pending={busy}
            pendingLabel="Creating account..."
          >
            Sign Up
          </Button>
        </>
      )}
    </Form>
  )
}
