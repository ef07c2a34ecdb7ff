import { LoaderCircle } from 'lucide-react'
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useId } from 'react'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'link' | 'danger'
export type ButtonSize = 'small' | 'medium' | 'large'

const baseClass =
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap border font-[560] no-underline transition-[background-color,border-color,color,opacity] duration-150 cramped:h-auto cramped:min-h-10 cramped:shrink cramped:whitespace-normal cramped:py-1 data-disabled:not-aria-busy:opacity-55 data-unavailable:opacity-45 aria-busy:opacity-85 pointer-coarse:min-h-11'

const variantClasses: Record<ButtonVariant, string> = {
  primary:
    'border-accent bg-accent text-on-accent not-data-disabled:not-data-unavailable:hover:bg-[color-mix(in_oklab,var(--accent),var(--ink)_14%)] not-data-disabled:not-data-unavailable:hover:border-transparent',
  plain:
    'border-edge bg-surface text-ink not-data-disabled:not-data-unavailable:hover:bg-[color-mix(in_oklab,var(--surface),var(--ink)_6%)]',
  quiet:
    'border-transparent bg-transparent text-ink not-data-disabled:not-data-unavailable:hover:bg-[color-mix(in_oklab,transparent,var(--ink)_7%)]',
  link: 'border-transparent bg-transparent text-accent underline! underline-offset-3 not-data-disabled:not-data-unavailable:hover:decoration-2',
  danger:
    'border-red bg-red text-[light-dark(#ffffff,#2b0906)] not-data-disabled:not-data-unavailable:hover:bg-[color-mix(in_oklab,var(--red),var(--ink)_14%)] not-data-disabled:not-data-unavailable:hover:border-transparent',
}

const sizeClasses: Record<ButtonSize, string> = {
  small: 'h-8 rounded-[8px] px-2.5 text-sm [&_svg]:size-4',
  medium: 'h-10 rounded-control px-4 text-base [&_svg]:size-[18px]',
  large: 'h-[52px] rounded-[12px] px-6 text-lg [&_svg]:size-5',
}

const iconClass = `${baseClass} ${variantClasses.quiet} size-8 rounded-[8px] text-muted pointer-coarse:min-w-11 [&_svg]:size-[18px]`

interface ButtonStyle {
  /**
   * `primary` is for a screen's main action, `link` for an action within a sentence, `danger` for a
   * destructive action. Defaults to `plain`.
   */
  variant?: ButtonVariant
  /**
   * `small` is for list rows and headers, `large` for a page's only action. Defaults to `medium`.
   */
  size?: ButtonSize
  /** A lucide icon before the text. Hidden from screen readers. */
  icon?: ReactNode
  /** Makes the button as wide as its container. */
  wide?: boolean
}

function buttonClass({ variant = 'plain', size = 'medium', wide }: ButtonStyle) {
  return `${baseClass} ${variantClasses[variant]} ${sizeClasses[size]}${wide ? ' w-full' : ''}`
}

export interface ButtonProps extends ButtonStyle {
  children: ReactNode
  /**
   * The accessible name, if the text alone is ambiguous. It must start with the text, as in 'Sign
   * out Firefox on Linux'.
   */
  label?: string
  /** The id of the element that the button expands, and whether it is expanded. */
  expands?: { id: string; isOpen: boolean }
  onClick?: () => void
  type?: 'button' | 'submit'
  disabled?: boolean
  /**
   * While true, the button ignores presses to prevent duplicate submissions. It keeps focus, and
   * screen readers announce it as busy.
   */
  pending?: boolean
  /** The text while `pending`. Defaults to the normal text. */
  pendingLabel?: string
  /** A sentence that says why the button is unavailable. If set, the button ignores presses. */
  unavailable?: string | undefined
  ref?: Ref<HTMLElement>
}

/** A push button with text. Set `type="submit"` to submit a form. */
export function Button({
  children,
  label,
  icon,
  pendingLabel,
  pending = false,
  variant,
  size,
  wide,
  ...push
}: ButtonProps) {
  return (
    <PushButton
      {...push}
      className={buttonClass({ variant, size, wide })}
      pending={pending}
      aria-label={label}
    >
      <Icon>{pending ? <LoaderCircle className="animate-spin" /> : icon}</Icon>
      {pending && pendingLabel ? pendingLabel : children}
    </PushButton>
  )
}

export interface IconButtonProps {
  /** The accessible name and tooltip, such as 'Delete press-kit.zip'. */
  label: string
  icon: ReactNode
  /** The id of the element that the button expands, and whether it is expanded. */
  expands?: { id: string; isOpen: boolean }
  'aria-haspopup'?: 'menu'
  onClick?: () => void
  /**
   * A sentence that says why the button is unavailable. It replaces the label in the tooltip, and
   * the button ignores presses.
   */
  unavailable?: string | undefined
  ref?: Ref<HTMLElement>
}

/** A square button with only an icon. Its label appears on hover and on keyboard focus. */
export function IconButton({ label, icon, ...push }: IconButtonProps) {
  return (
    <PushButton
      {...push}
      className={`${iconClass} not-data-unavailable:hover:text-ink`}
      aria-label={label}
      tooltip={label}
    >
      <Icon>{icon}</Icon>
    </PushButton>
  )
}

type PushButtonProps = Omit<ButtonProps, keyof ButtonStyle | 'label' | 'pendingLabel'> & {
  className: string
  'aria-label': string | undefined
  'aria-haspopup'?: 'menu'
  /** Shown on hover, unless `unavailable` is set. */
  tooltip?: string
}

/**
 * A button that can be focused even when it is unavailable. Its tooltip then gives the reason when
 * the button is hovered, focused or pressed, and screen readers announce the reason with the
 * button.
 */
function PushButton({
  type = 'button',
  expands,
  onClick,
  disabled = false,
  pending = false,
  unavailable,
  tooltip,
  ref,
  ...element
}: PushButtonProps) {
  const reasonId = useId()
  const isUnavailable = unavailable !== undefined
  return (
    <>
      <button
        {...element}
        ref={ref as Ref<HTMLButtonElement>}
        type={type}
        // A pending button keeps the focus.
        disabled={disabled && !pending}
        aria-disabled={pending || isUnavailable || undefined}
        aria-busy={pending || undefined}
        aria-expanded={expands?.isOpen}
        aria-controls={expands?.isOpen ? expands.id : undefined}
        aria-describedby={isUnavailable ? reasonId : undefined}
        data-disabled={disabled || pending ? '' : undefined}
        data-unavailable={isUnavailable ? '' : undefined}
        data-tooltip={unavailable ?? tooltip}
        data-tooltip-on-press={isUnavailable ? '' : undefined}
        onClick={(event) => {
          if (pending || isUnavailable) event.preventDefault()
          else onClick?.()
        }}
      />
      {isUnavailable ? (
        <span id={reasonId} hidden>
          {unavailable}
        </span>
      ) : null}
    </>
  )
}

function Icon({ children }: { children: ReactNode }) {
  return children ? (
    <span aria-hidden="true" className="contents">
      {children}
    </span>
  ) : null
}

export interface ButtonLinkProps
  extends ButtonStyle,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'className' | 'style'> {
  ref?: Ref<HTMLAnchorElement>
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  size,
  icon,
  wide,
  children,
  ref,
  ...anchor
}: ButtonLinkProps) {
  return (
    <a ref={ref} {...anchor} className={buttonClass({ variant, size, wide })}>
      <Icon>{icon}</Icon>
      {children}
    </a>
  )
}

export interface IconLinkProps {
  /** The accessible name and tooltip. */
  label: string
  icon: ReactNode
  href: string
}

/** A link that looks like a plain icon button in a list row. */
export function IconLink({ label, icon, href }: IconLinkProps) {
  return (
    <a href={href} className={`${iconClass} hover:text-ink`} data-tooltip={label}>
      <Icon>{icon}</Icon>
      <span className="sr-only">{label}</span>
    </a>
  )
}
