import { Button as BaseButton } from '@base-ui/react/button'
import { Tooltip as Base } from '@base-ui/react/tooltip'
import { LoaderCircle } from 'lucide-react'
import {
  type AnchorHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type Ref,
  useId,
  useState,
} from 'react'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'link' | 'danger'
export type ButtonSize = 'small' | 'medium' | 'large'

const base =
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap border font-[560] no-underline transition-[background-color,border-color,color,opacity] duration-150 cramped:h-auto cramped:min-h-10 cramped:shrink cramped:whitespace-normal cramped:py-1 data-disabled:not-aria-busy:opacity-55 data-unavailable:opacity-45 aria-busy:opacity-85 pointer-coarse:min-h-11'

const variants: Record<ButtonVariant, string> = {
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

const sizes: Record<ButtonSize, string> = {
  small: 'h-8 rounded-[8px] px-2.5 text-sm [&_svg]:size-4',
  medium: 'h-10 rounded-control px-4 text-base [&_svg]:size-[18px]',
  large: 'h-[52px] rounded-[12px] px-6 text-lg [&_svg]:size-5',
}

const squares: Record<ButtonSize, string> = {
  small: 'size-8 rounded-[8px] pointer-coarse:min-w-11 [&_svg]:size-[18px]',
  medium: 'size-10 rounded-control pointer-coarse:min-w-11 [&_svg]:size-[18px]',
  large: 'size-[52px] rounded-[12px] [&_svg]:size-5',
}

interface Style {
  /**
   * `primary` is for the main action of a screen, `link` for an action inside a sentence, `danger`
   * for an action that destroys data. Default `plain`.
   */
  variant?: ButtonVariant
  /**
   * `small` is for list rows and headers, `large` for the only action of a page. Default `medium`.
   */
  size?: ButtonSize
  /** A lucide icon before the text. Screen readers ignore it. */
  icon?: ReactNode
  /** Makes the button as wide as its container. */
  wide?: boolean
}

function classesOf({ variant = 'plain', size = 'medium', wide }: Style) {
  return `${base} ${variants[variant]} ${sizes[size]}${wide ? ' w-full' : ''}`
}

export interface ButtonProps extends Style {
  children: ReactNode
  /**
   * The name for screen readers, if the text alone does not tell which of several buttons this is.
   * It begins with the text: 'Sign out Firefox on Linux'.
   */
  label?: string
  /**
   * The id of the element that the button shows and hides, and whether that element is shown now.
   */
  expands?: { id: string; isOpen: boolean }
  onClick?: () => void
  type?: 'button' | 'submit'
  disabled?: boolean
  /**
   * While true, the button ignores presses, so that a second press has no effect. It keeps the
   * keyboard focus, and screen readers announce it as busy.
   */
  pending?: boolean
  /** The text while `pending`. Without it the text does not change. */
  pendingLabel?: string
  /**
   * The reason why the button cannot be used now, as a sentence. If it is set, the button ignores
   * presses.
   */
  unavailable?: string | undefined
  ref?: Ref<HTMLElement>
}

/** A push button with a text. Inside a form set `type="submit"`. */
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
      className={classesOf({ variant, size, wide })}
      pending={pending}
      aria-label={label}
    >
      <Icon>{pending ? <LoaderCircle className="animate-spin" /> : icon}</Icon>
      {pending && pendingLabel ? pendingLabel : children}
    </PushButton>
  )
}

export interface IconButtonProps {
  /** What the button does, for screen readers and as the tooltip: 'Delete press-kit.zip'. */
  label: string
  /** A lucide icon. */
  icon: ReactNode
  /** The element that the button opens and closes, as in `Button`. */
  expands?: { id: string; isOpen: boolean }
  onClick?: () => void
  variant?: ButtonVariant
  size?: ButtonSize
  disabled?: boolean
  pending?: boolean
  /** The same as for `Button`. The tooltip shows this reason instead of the label. */
  unavailable?: string | undefined
  ref?: Ref<HTMLElement>
}

/** A square button that shows only an icon. Its label appears on hover and on keyboard focus. */
export function IconButton({
  label,
  icon,
  variant = 'quiet',
  size = 'small',
  ...push
}: IconButtonProps) {
  return (
    <PushButton
      {...push}
      className={`${base} ${variants[variant]} ${squares[size]} ${variant === 'quiet' ? 'text-muted not-data-unavailable:hover:text-ink' : ''}`}
      aria-label={label}
      tooltip={label}
    >
      <Icon>{icon}</Icon>
    </PushButton>
  )
}

type PushButtonProps = Omit<ButtonProps, keyof Style | 'label' | 'pendingLabel'> & {
  className: string
  'aria-label': string | undefined
  /** Shows on hover, unless the button has a reason why it cannot be used. */
  tooltip?: string
}

/**
 * The button element. If it cannot be used, its tooltip gives the reason, also on a press, and
 * screen readers read the reason with the button. It stays visible and keeps its focus.
 */
function PushButton({
  type = 'button',
  expands,
  onClick,
  disabled = false,
  pending = false,
  unavailable,
  tooltip,
  ...element
}: PushButtonProps) {
  const reasonId = useId()
  const isUsable = unavailable === undefined
  const button = (
    <BaseButton
      {...element}
      type={type}
      disabled={disabled || pending}
      focusableWhenDisabled={pending}
      aria-busy={pending || undefined}
      aria-expanded={expands?.isOpen}
      aria-controls={expands?.isOpen ? expands.id : undefined}
      {...(isUsable
        ? { onClick }
        : { 'aria-disabled': true, 'aria-describedby': reasonId, 'data-unavailable': '' })}
    />
  )
  if (isUsable) return tooltip ? <Tooltip text={tooltip}>{button}</Tooltip> : button
  return (
    <>
      <Tooltip text={unavailable} showsOnPress>
        {button}
      </Tooltip>
      <span id={reasonId} hidden>
        {unavailable}
      </span>
    </>
  )
}

/** An icon before a text, or alone. Screen readers ignore it. */
function Icon({ children }: { children: ReactNode }) {
  return children ? (
    <span aria-hidden="true" className="contents">
      {children}
    </span>
  ) : null
}

export interface ButtonLinkProps
  extends Style,
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
    <a ref={ref} {...anchor} className={classesOf({ variant, size, wide })}>
      <Icon>{icon}</Icon>
      {children}
    </a>
  )
}

export interface IconLinkProps {
  /** The target of the link, for screen readers and as the tooltip. */
  label: string
  /** A lucide icon. */
  icon: ReactNode
  href: string
}

/** A link that looks like a quiet icon button in a list row. */
export function IconLink({ label, icon, href }: IconLinkProps) {
  return (
    <Tooltip text={label}>
      <a
        href={href}
        className={`${base} ${variants.quiet} ${squares.small} text-muted hover:text-ink`}
      >
        <Icon>{icon}</Icon>
        <span className="sr-only">{label}</span>
      </a>
    </Tooltip>
  )
}

export interface TooltipProps {
  /**
   * A short text. Without `showsOnPress` the page must say it elsewhere too, because touch screens
   * do not show it.
   */
  text: string
  /** The one element with the tooltip. It must pass on props and its ref. */
  children: ReactElement
  /**
   * Also shows the text when somebody presses the element. Use it only for an element that does
   * nothing else when it is pressed.
   */
  showsOnPress?: boolean
}

/** A short text beside an element, on hover and on keyboard focus. Escape hides it. */
function Tooltip({ text, children, showsOnPress = false }: TooltipProps) {
  const [open, setOpen] = useState(false)
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger
        render={children}
        delay={400}
        closeOnClick={!showsOnPress}
        onClick={showsOnPress ? () => setOpen(true) : undefined}
      />
      <Base.Portal>
        <Base.Positioner sideOffset={6} collisionPadding={8} className="z-50">
          <Base.Popup className="max-w-[min(320px,90vw)] rounded-[8px] bg-ink px-2.5 py-1.5 text-paper text-sm shadow-float transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0 wrap-anywhere">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
