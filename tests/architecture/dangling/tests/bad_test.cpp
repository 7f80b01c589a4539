TEST(Bad, C1_1_C2_1_AreThereAndC9_9IsNoName) {}
TEST(Bad, C1_1_C3_1_C1_C6_ButTheseAreNot) {}
