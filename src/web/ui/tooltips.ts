/** How long the pointer rests on an element before its tooltip appears. */
const delayMs = 400
/** The space between a tooltip and the edge of the window, in pixels. */
const edgeSpace = 8

/**
 * Shows the text in `data-tooltip` beside an element on hover and on keyboard focus. Escape and a
 * press hide it. With `data-tooltip-on-press`, a press shows it. Call once per page.
 */
export function enableTooltips(): void {
  // The padding joins the tooltip to its element, so that the pointer can move onto the text.
  const box = document.createElement('div')
  box.className = 'fixed z-50 max-w-[min(332px,90vw)] p-1.5'
  box.hidden = true
  const text = document.createElement('div')
  text.className =
    'rounded-[8px] bg-ink px-2.5 py-1.5 text-paper text-sm shadow-float wrap-anywhere'
  box.append(text)
  document.body.append(box)
  let owner: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const hide = () => {
    clearTimeout(timer)
    box.hidden = true
  }
  const show = () => {
    clearTimeout(timer)
    if (!owner?.isConnected) return
    text.textContent = owner.dataset.tooltip ?? ''
    box.hidden = false
    const { left, top, bottom, width } = owner.getBoundingClientRect()
    const { offsetWidth, offsetHeight } = box
    const maxLeft = document.documentElement.clientWidth - offsetWidth - edgeSpace
    const centeredLeft = left + (width - offsetWidth) / 2
    box.style.left = `${Math.max(edgeSpace, Math.min(centeredLeft, maxLeft))}px`
    box.style.top = `${top - offsetHeight < edgeSpace ? bottom : top - offsetHeight}px`
  }
  const setOwner = (target: EventTarget | null) => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-tooltip]') : null
    if (element === owner) return false
    hide()
    owner = element
    return owner !== null
  }

  document.addEventListener('pointerover', ({ target, pointerType }) => {
    if (pointerType === 'touch' || (target instanceof Node && box.contains(target))) return
    if (setOwner(target)) timer = setTimeout(show, delayMs)
  })
  document.addEventListener('focusin', ({ target }) => {
    const isByKeyboard = target instanceof Element && target.matches(':focus-visible')
    if (isByKeyboard && setOwner(target)) show()
  })
  document.addEventListener('focusout', () => {
    hide()
    owner = null
  })
  document.addEventListener('click', ({ target }) => {
    setOwner(target)
    if (owner?.dataset.tooltipOnPress === undefined) hide()
    else show()
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide()
  })
  document.addEventListener('scroll', hide, { capture: true, passive: true })
}
