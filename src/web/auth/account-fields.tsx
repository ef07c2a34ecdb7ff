import { passwordHint } from '../../shared/rules/accounts/password.ts'
import { PasswordField, TextField } from '../ui/field.tsx'

export interface AccountFieldsProps {
  /**
   * If true, the browser autofills the name and email address. False if the administrator creates
   * the account for someone else.
   */
  isOwnAccount: boolean
  emailHint?: string | undefined
}

/** The fields for a new account: names, email address and password. */
export function AccountFields({ isOwnAccount, emailHint }: AccountFieldsProps) {
  return (
    <>
      <div className="grid items-start gap-5 sm:grid-cols-2 sm:gap-4">
        <TextField
          label="First name"
          name="firstName"
          autoComplete={isOwnAccount ? 'given-name' : 'off'}
          required
        />
        <TextField
          label="Last name"
          name="lastName"
          autoComplete={isOwnAccount ? 'family-name' : 'off'}
          required
        />
      </div>
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete={isOwnAccount ? 'username' : 'off'}
        hint={emailHint}
        required
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="new-password"
        hint={passwordHint}
        required
      />
    </>
  )
}
