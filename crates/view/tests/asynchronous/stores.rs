//! Asynchronous stores and reductions.

use super::{INIT, MEET, WAIT, run};

#[test]
fn st_async_completes_in_peer_block_and_signals_mbarrier() {
    for (width, n_bytes) in [("u32", 4), ("b64", 8), ("v2.b32", 8), ("v4.f32", 16)] {
        let value = match width {
            "b64" => "%rd1",
            "v2.b32" => "{%r1, %r2}",
            "v4.f32" => "{%r1, %r2, %r3, %r4}",
            _ => "%r1",
        };
        let body = format!(
            "{INIT}
            @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {};
            {MEET}
            xor.b32 %r5, %k, 1;
            mad.lo.u32 %r6, %t, {n_bytes}, %s;
            mapa.shared::cluster.u32 %r7, %r6, %r5;
            mapa.shared::cluster.u32 %r8, %m, %r5;
            mad.lo.u32 %r1, %k, 1000, %t;
            add.u32 %r2, %r1, 100; add.u32 %r3, %r1, 200; add.u32 %r4, %r1, 300;
            mov.b64 %rd1, {{%r1, %r2}};
            st.async.shared::cluster.mbarrier::complete_tx::bytes.{width} [%r7], {value}, [%r8];
            {WAIT}
            ld.shared.u32 %r9, [%r6+{}];
            st.global.u32 [%o], %r9;
            {MEET}",
            8 * n_bytes,
            n_bytes - 4
        );
        let found = run("grid=2 block=8 cluster=2", &body);
        let last = (n_bytes / 4 - 1) * 100;
        let expected: Vec<u32> = (0..16).map(|i| (1 - i / 8) * 1000 + i % 8 + last).collect();
        assert_eq!(found[..16], expected, "{width}");
    }
}

#[test]
fn release_st_async_and_red_async_write_global_memory() {
    let body = "st.async.release.gpu.global.u32 [%o], %t;
        st.async.mmio.release.sys.global.u32 [%o+128], 7;
        red.async.release.gpu.global.add.u32 [%g+512], 2;";
    let found = run("grid=1 block=32", body);
    assert_eq!(found[..32], (0..32).collect::<Vec<_>>());
    assert_eq!((found[32], found[128]), (7, 64));
}

#[test]
fn red_async_combines_with_current_value_on_completion() {
    // The memory contains 20. The operand is 1 to 32, or a limit that the count never reaches.
    let numbers = "add.u32 %r4, %t, 1;";
    let operations = [
        ("add.u32", numbers, 20 + 528),
        ("max.u32", numbers, 32),
        ("min.s32", numbers, 1),
        ("or.b32", numbers, 63),
        ("xor.b32", numbers, 20 ^ 32),
        ("inc.u32", "mov.u32 %r4, 1000;", 20 + 32),
    ];
    for (operation, operand, expected) in operations {
        let body = format!(
            "{INIT}
            @%z st.shared.u32 [%s], 20;
            @%z mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 128;
            {MEET}
            {operand}
            mapa.shared::cluster.u32 %r1, %s, %k;
            mapa.shared::cluster.u32 %r2, %m, %k;
            red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{operation} [%r1], %r4, [%r2];
            {WAIT}
            ld.shared.u32 %r3, [%s];
            st.global.u32 [%o], %r3;"
        );
        let found = run("grid=1 block=32 cluster=1", &body);
        assert_eq!(found[0], expected, "{operation}");
    }
}
