import { ImageUp, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { logoTypes, maxLogoBytes } from '../../shared/contract/branding.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { Button } from '../ui/button.tsx'

export interface LogoFieldProps {
  /** The URL of the logo to show, or null. */
  logo: string | null
  error: string | undefined
  disabled: boolean
  onChosen: (picture: File) => void
  onRemove: () => void
}

/** Lets the user choose or remove a logo. */
export function LogoField({ logo, error, disabled, onChosen, onRemove }: LogoFieldProps) {
  const id = useId()
  const fileInputRef = useRef<HTMLInputElement>(null)
  const chooseButtonRef = useRef<HTMLButtonElement>(null)
  return (
    <fieldset
      className="grid gap-1.5"
      aria-describedby={error === undefined ? `${id}-hint` : `${id}-error`}
    >
      <legend className="mb-1.5 font-[560] text-sm">Logo</legend>
      <div className="flex flex-wrap items-center gap-2.5">
        {logo === null ? null : (
          <span className="flex h-11 items-center rounded-control border border-line bg-paper px-2.5">
            <img
              src={logo}
              alt="Your logo"
              className="max-h-7 max-w-32 rounded-[4px] object-contain"
            />
          </span>
        )}
        <input
          ref={fileInputRef}
          type="file"
          hidden
          aria-label="Logo"
          accept={logoTypes.join()}
          onChange={({ target }) => {
            const [picture] = target.files ?? []
            // Without this, choosing the same file again wouldn't fire a change event.
            target.value = ''
            if (picture) onChosen(picture)
          }}
        />
        <Button
          ref={chooseButtonRef}
          icon={<ImageUp />}
          disabled={disabled}
          onClick={() => fileInputRef.current?.click()}
        >
          {logo === null ? 'Choose a picture' : 'Choose another picture'}
        </Button>
        {logo === null ? null : (
          <Button
            variant="quiet"
            icon={<X />}
            disabled={disabled}
            onClick={() => {
              onRemove()
              // Removing the logo also removes the focused button.
              chooseButtonRef.current?.focus()
            }}
          >
            Remove logo
          </Button>
        )}
      </div>
      {error === undefined ? null : (
        <p id={`${id}-error`} role="alert" className="text-red text-sm">
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className="text-muted text-sm">
        A PNG, JPEG or WebP of {formatSizeLimit(maxLogoBytes)} at most. It is scaled down and
        appears 36 px high.
      </p>
    </fieldset>
  )
}

/** The change to make to the logo when the form is saved. */
type LogoChange = { picture: File } | 'remove' | 'keep'

/**
 * Returns the reason why a file can't be used as a logo, or null if it can. The server also checks
 * the file's content.
 */
export function logoError({ size, type }: Pick<File, 'size' | 'type'>): string | null {
  if (!logoTypes.some((logoType) => logoType === type)) return 'Please choose a PNG, JPEG or WebP.'
  return size > maxLogoBytes ? `The picture can be ${formatSizeLimit(maxLogoBytes)} at most.` : null
}

/**
 * Tracks the user's changes to the logo until the form is saved.
 * @param savedUrl the URL of the saved logo, or null.
 */
export function useChosenLogo(savedUrl: string | null) {
  const [change, setChange] = useState<LogoChange>('keep')
  const [error, setError] = useState<string>()
  const [selectedUrl, setSelectedUrl] = useState<string | null>(null)

  useEffect(() => {
    if (typeof change === 'string') return setSelectedUrl(null)
    const url = URL.createObjectURL(change.picture)
    setSelectedUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [change])

  const applyChange = (newChange: LogoChange) => {
    setError(undefined)
    setChange(newChange)
  }
  return {
    change,
    /** Says why the last chosen file was rejected; undefined if it was accepted. */
    error,
    /** The URL of the logo to show, or null. */
    previewUrl: change === 'keep' ? savedUrl : selectedUrl,
    choose(picture: File) {
      const rejectionReason = logoError(picture)
      if (rejectionReason) setError(rejectionReason)
      else applyChange({ picture })
    },
    remove: () => applyChange(savedUrl === null ? 'keep' : 'remove'),
    reset: () => applyChange('keep'),
  }
}
