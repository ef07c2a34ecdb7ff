import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../shared/contract/account.ts'
import { ownAccount } from '../../../shared/contract/own-account.ts'
import { call } from '../../api/call.ts'
import { currentUserQuery } from '../../api/use-current-user.ts'
import { TextField } from '../../ui/field.tsx'
import { Form, SubmitButton } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAuthForm } from '../use-auth-form.ts'

function getNames({ firstName, lastName }: User) {
  return { firstName, lastName }
}

export function NameForm({ user }: { user: User }) {
  const client = useQueryClient()
  const [values, setValues] = useState(() => getNames(user))
  const form = useAuthForm({
    schema: ownAccount.updateUser.body,
    send: async (body) => {
      const savedUser = await call('PATCH /api/auth/user', { body })
      client.setQueryData(currentUserQuery.queryKey, savedUser)
      // The server trims the names, so show the saved ones.
      setValues(getNames(savedUser))
      toast({ title: 'Name saved' })
    },
    failed: { title: 'Name not saved', description: 'Failed to save your name. Please try again.' },
  })

  const getFieldProps = (name: keyof typeof values) => ({
    name,
    value: values[name],
    onValueChange: (value: string) => setValues({ ...values, [name]: value }),
  })
  return (
    <Form {...form}>
      <div className="grid grid-cols-1 items-start gap-5 sm:grid-cols-2 sm:gap-4">
        <TextField
          label="First name"
          autoComplete="given-name"
          required
          {...getFieldProps('firstName')}
        />
        <TextField label="Last name" autoComplete="family-name" {...getFieldProps('lastName')} />
      </div>
      <div>
        <SubmitButton pendingLabel="Saving...">Save</SubmitButton>
      </div>
    </Form>
  )
}
