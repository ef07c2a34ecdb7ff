import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { keys } from '../../../shared/contract/keys.ts'
import {
  type KeyScope,
  keyScopes,
  maxKeyNameLength,
} from '../../../shared/rules/accounts/api-key.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { type CallInput, call } from '../../api/call.ts'
import { serverNow } from '../../api/server-clock.ts'
import { Button } from '../../ui/button.tsx'
import { writeClipboard } from '../../ui/clipboard.ts'
import { ButtonRow, DialogButtons, FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { type FieldErrors, Form } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { toast } from '../../ui/toast.tsx'
import { showCallError } from '../use-auth-form.ts'
import { keysQuery } from './account-queries.ts'
import { shareXFile, shareXFileName } from './share-x.ts'

const scopeLabels: Record<KeyScope, string> = {
  'files:read': 'List files and links',
  'files:write': 'Upload, change and renew',
  'files:delete': 'Delete files and links',
  'stats:read': 'Read statistics',
  'requests:write': 'Manage requests',
}

const lifetimes = [
  { value: '', label: 'never' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
] as const

/** The dialog that creates an API key and then shows it, which nothing else does. */
export function KeyDialog({ onClosed }: { onClosed: () => void }) {
  const [isOpen, setOpen] = useState(true)
  const [created, setCreated] = useState<{ key: string; scopes: readonly KeyScope[] } | null>(null)
  const dialog = { open: isOpen, onOpenChange: setOpen, onClosed }
  return created ? (
    <FormDialog {...dialog} title="Your API key" description="Copy it now. It is not shown again.">
      <CreatedKey text={created.key} scopes={created.scopes} onDone={() => setOpen(false)} />
    </FormDialog>
  ) : (
    <FormDialog
      {...dialog}
      title="New API key"
      description="Whoever has the key can do this in your account, without your password."
    >
      <KeyForm onCreated={setCreated} />
    </FormDialog>
  )
}

interface KeyFormProps {
  onCreated: (created: { key: string; scopes: readonly KeyScope[] }) => void
}

function KeyForm({ onCreated }: KeyFormProps) {
  const client = useQueryClient()
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['files:read', 'files:write'])
  const [days, setDays] = useState<(typeof lifetimes)[number]['value']>('')
  const [errors, setErrors] = useState<FieldErrors>({})
  const { mutateAsync: create } = useMutation({
    mutationFn: (body: CallInput<'POST /api/keys'>['body']) => call('POST /api/keys', { body }),
    onSuccess: onCreated,
    onError: (error) =>
      showCallError(error, 'API key not created', 'Failed to create the key. Please try again.'),
    onSettled: () => client.invalidateQueries({ queryKey: keysQuery.queryKey }),
  })
  const submit = async ({ name }: { name: string }) => {
    const endMs = serverNow().getTime() + Number(days) * dayInMs
    const body = {
      name,
      scopes: [...scopes],
      expiresAt: days === '' ? undefined : new Date(endMs).toISOString(),
    }
    const isNamed = keys.createKey.body.shape.name.safeParse(name).success
    setErrors({
      ...(!isNamed && { name: 'Please enter a name in one line.' }),
      ...(scopes.length === 0 && { scopes: 'Choose what the key may do.' }),
    })
    if (isNamed && scopes.length > 0) await create(body).catch(() => undefined)
  }
  return (
    <Form errors={errors} onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        maxLength={maxKeyNameLength}
        hint="Such as the program or computer that uses it."
        required
      />
      <fieldset className="grid gap-3">
        <legend className="mb-2 font-[560] text-muted text-sm">It may</legend>
        {keyScopes.map((scope) => (
          <Switch
            key={scope}
            label={scopeLabels[scope]}
            checked={scopes.includes(scope)}
            onCheckedChange={(isOn) =>
              setScopes(isOn ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
        {errors.scopes ? (
          <p role="alert" className="text-red text-sm">
            {errors.scopes}
          </p>
        ) : null}
      </fieldset>
      <Select label="Expires" options={lifetimes} value={days} onValueChange={setDays} />
      <DialogButtons label="Create key" variant="primary" pendingLabel="Creating..." />
    </Form>
  )
}

interface CreatedKeyProps {
  text: string
  scopes: readonly KeyScope[]
  onDone: () => void
}

function CreatedKey({ text, scopes, onDone }: CreatedKeyProps) {
  const copy = async () => {
    if (await writeClipboard(text)) toast({ title: 'API key copied' })
    else toast({ title: 'Copy failed', description: 'Select the key to copy it.' })
  }
  return (
    <div className="grid grid-cols-1 gap-5">
      <code className="rounded-control border border-edge px-3.5 py-2.5 text-sm wrap-anywhere">
        {text}
      </code>
      {scopes.includes('files:write') ? (
        <p className="text-muted text-sm">
          For ShareX,{' '}
          <a
            className="font-[560] text-accent underline underline-offset-3 hover:decoration-2"
            download={shareXFileName}
            href={`data:application/json,${encodeURIComponent(shareXFile(window.location.origin, text))}`}
          >
            download a file with this key
          </a>{' '}
          and open it there.
        </p>
      ) : null}
      <ButtonRow>
        <Button onClick={onDone}>Done</Button>
        <Button variant="primary" icon={<Copy />} onClick={() => void copy()}>
          Copy key
        </Button>
      </ButtonRow>
    </div>
  )
}
