import { passwordHint } from '../../shared/contract/account.ts'
import { PasswordField, TextField } from '../ui/field.tsx'

export interface AccountFieldsProps {
  /**
   * True if people make the account for themselves. Then the browser may fill in their own name and
   * address. It must not if the administrator makes the account for somebody else.
   */
  isOwn: boolean
  emailHint?: string | undefined
}

/** The fields of a new account: the names, the mail address and the password. */
export function AccountFields({ isOwn, emailHint }: AccountFieldsProps) {
  return (
    <>
      <div className="grid items-start gap-5 sm:grid-cols-2 sm:gap-4">
        <TextField
          label="First name"
          name="firstName"
          autoComplete={isOwn ? 'given-name' : 'off'}
          required
        />
        <TextField
          label="Last name"
          name="lastName"
          autoComplete={isOwn ? 'family-name' : 'off'}
          required
        />
      </div>
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete={isOwn ? 'username' : 'off'}
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
