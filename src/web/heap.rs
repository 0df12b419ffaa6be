//! The allocator of the modules: free lists for a few dozen block sizes. The general one of the standard library
//! would make up a tenth of the guard's module. Freed blocks are used again for allocations of about their
//! size; they are never merged and never given back, which a module's memory cannot do anyway.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr;

/// The alignment of every block, and the smallest block.
const ALIGN: usize = 8;
/// A block of each class is at most half as large again as one of the class before.
const CLASSES: usize = 2 * usize::BITS as usize;

/// The source of memory.
///
/// # Safety
///
/// Memory is readable and writable, aligned to [`ALIGN`], and nobody else uses it.
pub unsafe trait Source {
    /// Adds at least this many bytes. Returns where they begin and end.
    fn grow(&self, bytes: usize) -> Option<(*mut u8, *mut u8)>;
}

/// A freed block, which holds the next one of its class.
struct Free {
    next: *mut Free,
}

struct Lists {
    free: [*mut Free; CLASSES],
    /// The memory that was never given out.
    fresh: *mut u8,
    end: *mut u8,
}

/// The allocator. It is for one thread.
pub struct Heap<S> {
    source: S,
    lists: UnsafeCell<Lists>,
}

// SAFETY: a module has one thread.
#[cfg(target_arch = "wasm32")]
unsafe impl<S> Sync for Heap<S> {}

/// The class of blocks for a size, and their size: a power of two, or one and a half times as much.
fn class(size: usize) -> Option<(usize, usize)> {
    let size = size.max(2 * ALIGN);
    let power = size.checked_next_power_of_two().filter(|&power| power <= isize::MAX as usize)?;
    let between = power / 4 * 3;
    let (bytes, half) = if size <= between { (between, 0) } else { (power, 1) };
    Some((2 * power.trailing_zeros() as usize + half, bytes))
}

impl<S: Source> Heap<S> {
    /// An allocator without memory.
    pub const fn new(source: S) -> Self {
        let lists = Lists { free: [ptr::null_mut(); CLASSES], fresh: ptr::null_mut(), end: ptr::null_mut() };
        Self { source, lists: UnsafeCell::new(lists) }
    }

    fn fresh(&self, lists: &mut Lists, bytes: usize) -> *mut u8 {
        if (lists.end as usize) - (lists.fresh as usize) < bytes {
            let Some((from, to)) = self.source.grow(bytes) else { return ptr::null_mut() };
            // The rest goes on where the memory does; otherwise it is given up.
            if from != lists.end {
                lists.fresh = from;
            }
            lists.end = to;
        }
        let block = lists.fresh;
        lists.fresh = block.wrapping_add(bytes);
        block
    }
}

// SAFETY: a block is given out once, from memory that nobody else uses, until it is freed. It has the size of its
// class, which depends on nothing but the size asked for.
unsafe impl<S: Source> GlobalAlloc for Heap<S> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((class, bytes)) = class(layout.size()).filter(|_| layout.align() <= ALIGN) else {
            return ptr::null_mut();
        };
        // SAFETY: there is one thread, and nothing below calls back.
        let lists = unsafe { &mut *self.lists.get() };
        let mut from = class;
        if lists.free[class].is_null() {
            let block = self.fresh(lists, bytes);
            if !block.is_null() {
                return block;
            }
            // Where no memory is left, a larger block serves: after a trap, the next guard needs little.
            let Some(larger) = lists.free.iter().skip(class).position(|free| !free.is_null()) else {
                return ptr::null_mut();
            };
            from += larger;
        }
        let free = lists.free[from];
        // SAFETY: a block in a list is free, and holds the next one.
        lists.free[from] = unsafe { (*free).next };
        free.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((class, _)) = class(layout.size()) else { return };
        // SAFETY: as above.
        let lists = unsafe { &mut *self.lists.get() };
        let block = block.cast::<Free>();
        // SAFETY: the block is not used any more, and has room for a pointer.
        unsafe { (*block).next = lists.free[class] };
        lists.free[class] = block;
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if class(layout.size()) == class(size) {
            return block;
        }
        // SAFETY: the caller has checked the size; both blocks are at least as long as what is copied.
        unsafe {
            let other = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !other.is_null() {
                ptr::copy_nonoverlapping(block, other, layout.size().min(size));
                self.dealloc(block, layout);
            }
            other
        }
    }
}

/// The memory of the module.
#[cfg(target_arch = "wasm32")]
pub struct Memory;

// SAFETY: what the engine adds is zeroed, and only this asks for it.
#[cfg(target_arch = "wasm32")]
unsafe impl Source for Memory {
    fn grow(&self, bytes: usize) -> Option<(*mut u8, *mut u8)> {
        use std::arch::wasm32::{memory_grow, memory_size};
        const PAGE: usize = 1 << 16;
        let needed = bytes.div_ceil(PAGE);
        let grow = |pages| {
            let from = memory_grow::<0>(pages);
            (from != usize::MAX).then(|| ((from * PAGE) as *mut u8, ((from + pages) * PAGE) as *mut u8))
        };
        // Engines collect garbage when a memory grows. Pages that nobody has touched cost nothing.
        grow(needed.max(memory_size::<0>() / 4)).or_else(|| grow(needed))
    }
}

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static HEAP: Heap<Memory> = Heap::new(Memory);

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::{Cell, RefCell};

    /// Memory in pieces, some of which continue the one before.
    struct Pieces {
        all: RefCell<Vec<u64>>,
        used: Cell<usize>,
        gap: usize,
        piece: usize,
    }

    impl Pieces {
        fn new(gap: usize, piece: usize) -> Self {
            Self { all: RefCell::new(vec![0; 1 << 17]), used: Cell::new(0), gap, piece }
        }
    }

    // SAFETY: every piece is given out once; the vector is never moved.
    unsafe impl Source for Pieces {
        fn grow(&self, bytes: usize) -> Option<(*mut u8, *mut u8)> {
            let mut all = self.all.borrow_mut();
            let (from, words) = (self.used.get() + self.gap, bytes.div_ceil(8 * self.piece) * self.piece);
            let piece = all.get_mut(from..from + words)?.as_mut_ptr_range();
            self.used.set(from + words);
            Some((piece.start.cast(), piece.end.cast()))
        }
    }

    /// A block in use, and the byte that all of it has.
    type Used = (*mut u8, Layout, u8);

    fn check(used: &[Used]) -> Result<(), TestCaseError> {
        for &(block, layout, byte) in used {
            prop_assert_eq!(block as usize % layout.align(), 0);
            // SAFETY: it is in use, and was filled.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            prop_assert!(bytes.iter().all(|&other| other == byte), "somebody wrote into a block in use");
        }
        Ok(())
    }

    fn fill(block: *mut u8, size: usize, byte: u8) {
        // SAFETY: it is in use, and that large.
        unsafe { block.write_bytes(byte, size) };
    }

    #[derive(Clone, Debug)]
    enum Act {
        Take { size: usize, align: usize },
        Resize { which: usize, size: usize },
        Free { which: usize },
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let size = || prop_oneof![4 => 1..200_usize, 1 => 1..5_000_usize];
        let act = prop_oneof![
            (size(), 0..4_u32).prop_map(|(size, align)| Act::Take { size, align: 1 << align }),
            (0..99_usize, size()).prop_map(|(which, size)| Act::Resize { which, size }),
            (0..99_usize).prop_map(|which| Act::Free { which }),
        ];
        prop::collection::vec(act, 0..150)
    }

    proptest! {
        #[test]
        fn a_block_in_use_belongs_to_nobody_else(acts in acts(), gap in 0..3_usize, piece in 1..2_000_usize) {
            let heap = Heap::new(Pieces::new(gap, piece));
            let mut used: Vec<Used> = Vec::new();
            for (at, act) in acts.into_iter().enumerate() {
                let byte = at as u8;
                match act {
                    Act::Take { size, align } => {
                        let layout = Layout::from_size_align(size, align).unwrap();
                        // SAFETY: the size is not 0.
                        let block = unsafe { heap.alloc(layout) };
                        prop_assert!(!block.is_null());
                        fill(block, size, byte);
                        used.push((block, layout, byte));
                    }
                    Act::Resize { which, size } if !used.is_empty() => {
                        let at = which % used.len();
                        let (block, layout, byte) = used[at];
                        // SAFETY: it is in use.
                        let block = unsafe { heap.realloc(block, layout, size) };
                        let kept = layout.size().min(size);
                        let layout = Layout::from_size_align(size, layout.align()).unwrap();
                        check(&[(block, Layout::from_size_align(kept, 1).unwrap(), byte)])?;
                        fill(block, size, byte);
                        used[at] = (block, layout, byte);
                    }
                    Act::Free { which } if !used.is_empty() => {
                        let (block, layout, _) = used.swap_remove(which % used.len());
                        // SAFETY: it is in use, and not used any more.
                        unsafe { heap.dealloc(block, layout) };
                    }
                    Act::Resize { .. } | Act::Free { .. } => {}
                }
                check(&used)?;
            }
        }
    }

    #[test]
    fn a_block_is_large_enough_and_not_much_larger() {
        let mut last = (0, 0);
        for size in 1..100_000 {
            let (class, bytes) = class(size).unwrap();
            assert!(bytes >= size && bytes % ALIGN == 0, "{size}");
            assert!(bytes <= 16 || 2 * bytes <= 3 * size, "{size}: {bytes}");
            assert!((class, bytes) == last || (class > last.0 && bytes > last.1), "{size}");
            assert!(class < CLASSES);
            last = (class, bytes);
        }
        assert_eq!(class(isize::MAX as usize), None, "more than a module can have");
    }

    #[test]
    fn freed_blocks_are_used_again() {
        let heap = Heap::new(Pieces::new(0, 1));
        let taken = |size: usize| {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the block is freed once, with its layout.
            unsafe { heap.dealloc(heap.alloc(layout), layout) };
        };
        for _ in 0..10_000 {
            [24, 100, 1_000, 20_000].into_iter().for_each(taken);
        }
        assert!(heap.source.used.get() * 8 < 30_000, "{}", heap.source.used.get());
    }

    #[test]
    fn where_there_is_no_memory_there_is_no_block() {
        let heap = Heap::new(Pieces::new(0, 1));
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        // SAFETY: no size is 0.
        unsafe {
            assert!(heap.alloc(layout(2 << 20, 8)).is_null());
            assert!(heap.alloc(layout(8, 64)).is_null(), "no block is aligned like this");
            let block = heap.alloc(layout(100, 8));
            assert!(heap.realloc(block, layout(100, 8), 2 << 20).is_null());
            fill(block, 100, 1);
        }
    }

    #[test]
    fn where_there_is_no_memory_a_larger_block_serves() {
        let heap = Heap::new(Pieces::new(0, 1));
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: no size is 0, and what is freed has its layout.
        unsafe {
            let large = heap.alloc(layout(3 << 18));
            assert!(!heap.alloc(layout(1 << 18)).is_null(), "what was left");
            assert!(heap.alloc(layout(100_000)).is_null());
            heap.dealloc(large, layout(3 << 18));
            assert_eq!(heap.alloc(layout(100_000)), large);
            assert!(heap.alloc(layout(100_000)).is_null(), "it is given out once");
        }
    }
}
