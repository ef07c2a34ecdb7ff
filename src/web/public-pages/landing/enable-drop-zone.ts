import { createBrowserKeptFiles, type KeptFile } from '../../uploads/kept/kept-files.ts'
import { type Drop, dropError } from '../../uploads/picking/dropped-files.ts'
import { chooseFile } from '../../uploads/picking/file-picker.ts'
import { followPageDrop } from '../../uploads/picking/page-drop.ts'
import { filesWithSize, notKeptText, tooLargeText } from './drop-texts.ts'

/** Returns the elements of the drop zone, or null on pages without one. */
function findDropZone() {
  const find = (id: string) => document.getElementById(id)
  const [zone, title, text] = [find('drop'), find('drop-title'), find('drop-text')]
  const [choose, remove, goOn] = [find('choose'), find('remove'), find('go-on')]
  if (!zone || !title || !text || !choose || !remove || !goOn) return null
  return { zone, title, text, choose, remove, goOn }
}

/**
 * Activates the drop zone: stores dropped or chosen files in the browser and opens the target of
 * the link `go-on`. If a file can't be stored, the page stays open and explains why.
 */
export function enableDropZone(): void {
  const parts = findDropZone()
  if (parts === null) return
  const kept = createBrowserKeptFiles()
  const { zone, title, text, choose, remove, goOn } = parts
  const first = { title: [...title.childNodes], text: text.textContent }
  const getStarted = document.querySelector('.go .primary')
  let isBusy = false

  const show = (waiting: readonly KeptFile[], error = '') => {
    const waits = waiting.length > 0
    if (waits)
      title.textContent = `${filesWithSize(waiting.map(({ file }) => file))} ${waiting.length === 1 ? 'is' : 'are'} waiting`
    else title.replaceChildren(...first.title)
    text.textContent = error || first.text
    remove.hidden = !waits
    goOn.hidden = !waits && error === ''
    // A page has one primary action. While files are waiting, that is the link to continue with
    // them.
    getStarted?.classList.toggle('primary', goOn.hidden)
    zone.classList.toggle('error', error !== '')
  }

  const take = async (drop: Drop) => {
    if (isBusy) return
    isBusy = true
    title.textContent = `Keeping ${filesWithSize(drop.files.map(({ file }) => file))}...`
    const error = await keep(drop)
    isBusy = false
    show(await kept.list(), error)
    if (error === '') location.assign(goOn.getAttribute('href') ?? '/login')
  }

  /** Stores dropped files. Returns an explanation for those that can't be stored. */
  const keep = async (drop: Drop) => {
    const files = drop.files.map(({ file }) => file)
    const tooLarge = files.filter(({ size }) => size > Number(zone.dataset.largest))
    const allowed = files.filter((file) => !tooLarge.includes(file))
    const error = await kept.keep(allowed)
    const unreadable = dropError(drop)
    return [
      unreadable && `${unreadable.title}: ${unreadable.description}`,
      tooLargeText(tooLarge, zone.dataset.limit ?? ''),
      error && notKeptText(allowed, error),
    ]
      .filter(Boolean)
      .join(' ')
  }

  choose.addEventListener('click', async () => {
    const chosen = await chooseFile()
    if (chosen) await take(chosen)
  })
  remove.addEventListener('click', async () => {
    await kept.remove((await kept.list()).map(({ id }) => id))
    show([])
    choose.focus()
  })
  followPageDrop({
    onDragging: (isDragging) => zone.classList.toggle('dragging', isDragging),
    onDrop: (drop) => void take(drop),
  })
  // After navigating back, the browser may restore outdated content.
  addEventListener('pageshow', async () => {
    if (!isBusy) show(await kept.list())
  })
}
