import { useState } from 'react'
import { maxLinkPasswordLength } from '../../../shared/rules/links/link-limits.ts'

/** Asks for a request's password, and reloads the page once the server has accepted it. */
export function UnlockForm({ code }: { code: string }) {
  const [error, setError] = useState('')
  const [isPending, setPending] = useState(false)
  const unlock = async (password: string) => {
    setPending(true)
    setError('')
    const result = await sendPassword(code, password)
    if (result === null) return location.reload()
    setError(result)
    setPending(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) {
          void unlock(String(new FormData(event.currentTarget).get('password') ?? ''))
        }
      }}
    >
      <label htmlFor="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autoComplete="off"
        maxLength={maxLinkPasswordLength}
        required
        aria-describedby="password-error"
      />
      <p className="error" id="password-error" role="alert">
        {error}
      </p>
      <button className="button" type="submit">
        Unlock
      </button>
    </form>
  )
}

/** Returns null if the password is right, or why it was rejected. */
async function sendPassword(code: string, password: string): Promise<string | null> {
  try {
    const response = await fetch(`/api/requests/${code}/unlock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    })
    // A request that has closed in the meantime shows so after the reload.
    if (response.ok || response.status === 404) return null
    return (await response.json()).message
  } catch {
    return 'Please check your connection and try again.'
  }
}
