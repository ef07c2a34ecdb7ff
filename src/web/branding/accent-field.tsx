import { accentPairs, isColor } from '../../shared/rules/accounts/accent.ts'
import { TextField } from '../ui/field.tsx'

/** Mayfly's accent color, shown in the color picker until the user picks another. */
const defaultAccent = '#0b6e63'

export interface AccentFieldProps {
  name: string
  /** The color as typed. Empty means Mayfly's accent color. */
  value: string
  onValueChange: (value: string) => void
}

/** The accent color field: a text input for #rrggbb and a color picker. */
export function AccentField({ name, value, onValueChange }: AccentFieldProps) {
  const normalizedColor = value.trim().toLowerCase()
  const color = isColor(normalizedColor) ? normalizedColor : null
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2.5">
      <TextField
        label="Accent color"
        name={name}
        value={value}
        onValueChange={onValueChange}
        hint={(color && accentHint(color)) ?? 'Such as #3a3f9e. Empty: ours.'}
        verbatim
        autoComplete="off"
        maxLength={7}
      />
      <input
        type="color"
        aria-label="Pick the accent color"
        value={color ?? defaultAccent}
        onChange={({ target }) => onValueChange(target.value)}
        className="mt-[27px] h-11 w-14 cursor-pointer rounded-control border border-edge bg-surface p-1"
      />
    </div>
  )
}

/**
 * Explains whether pages show the color darker or lighter. Returns null if they show it unchanged.
 */
export function accentHint(color: string): string | null {
  const { light, dark } = accentPairs(color)
  const isDarker = light.accent !== color
  const isLighter = dark.accent !== color
  if (!isDarker && !isLighter) return null
  if (isDarker && isLighter) return 'Shown darker in the light theme and lighter in the dark theme.'
  return isDarker
    ? 'Shown darker in the light theme, where it would be hard to see.'
    : 'Shown lighter in the dark theme, where it would be hard to see.'
}
